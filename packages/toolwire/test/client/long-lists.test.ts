// Servers whose long lists change with every call.
import { describe, expect, it } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import type { Policy } from '../../src/policy/policy.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const revision = '2025-11-25'
const capabilities = { tools: { listChanged: true } }
const judge: Policy = { name: 'judge', call: (call, next) => next(call) }
const lettersPerSecond = 1024 * 1024

/** A server with a list of the given length, which changes before each response and is announced each time. */
async function churning(letters: number, random: Random, policies: readonly Policy[] = []) {
  const count = 1 + random.below(40)
  let round = 0
  const made = await connectScripted(
    {
      'tools/list': () => {
        round++
        const filler = Array.from({ length: count }, (_, at) => ({
          ...plainTool(`t${at}`),
          description: `${round} ${random.word(4)} ${'x'.repeat(letters / count)}`,
        }))
        return toolsPage([{ ...plainTool('echo'), description: `number ${round}` }, ...filler])
      },
      'tools/call': ({ params }, server) => {
        server.notify('notifications/tools/list_changed')
        return textResult(String(params.name))
      },
    },
    { revision, capabilities, options: { policies } },
  )
  return { ...made, lists: () => made.server.received('tools/list').length }
}

describe('a list that changes with every call', () => {
  it('is reloaded before each call if it is short', async () => {
    const random = new Random(1)
    for (let run = 0; run < 4; run++) {
      const { client, lists } = await churning(random.below(200_000), random)
      for (let call = 0; call < 8; call++) await client.call('echo')
      expect(lists()).toBe(8)
    }
  })

  it('is reloaded at a limited rate if it is long, and calls continue meanwhile', async () => {
    const random = new Random(2)
    for (let run = 0; run < 4; run++) {
      const letters = 600_000 + random.below(2_000_000)
      const { client, lists } = await churning(letters, random)
      const began = performance.now()
      for (let call = 0; call < 12; call++) expect(await client.call('echo')).toMatchObject({ content: [{ text: 'echo' }] })
      const tookMs = performance.now() - began
      expect(lists()).toBeLessThanOrEqual(1 + (tookMs * lettersPerSecond) / 1_000 / letters)
    }
  })

  it('delays calls if a policy depends on it', async () => {
    const seen: unknown[] = []
    const noting: Policy = {
      name: 'noting',
      call: (call, next) => {
        seen.push(call.tool.listed.description)
        return next(call)
      },
    }
    const letters = 400_000
    const { client, lists } = await churning(letters, new Random(3), [judge, noting])
    const began = performance.now()
    for (let call = 0; call < 3; call++) await client.call('echo')
    expect(seen).toEqual(['number 1', 'number 2', 'number 3'])
    expect(lists()).toBe(3)
    expect(((performance.now() - began) * lettersPerSecond) / 1_000).toBeGreaterThan(2 * letters)
  })
})
