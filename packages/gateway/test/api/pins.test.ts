// The review of definitions: accepted, or refused for good.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PinsView } from '../../src/guard/pins/pin-registry.js'
import type { ToolDetails } from '../../src/guard/tools/describe-tool.js'
import { listening } from '../support/event-stream.js'
import { ask, client, folder, started, storeIn } from '../support/running-gateway.js'
import { notes } from '../support/upstream-configs.js'

const pins = async (gateway: { readonly port: number }) => (await ask(gateway, '/pins')).body as unknown as PinsView

/** A gateway whose upstream has one changed tool and one new tool since the last start. */
async function changed() {
  const dataDir = join(folder(), 'data')
  const before = await started({ upstreams: [notes()], dataDir }, { store: await storeIn(dataDir) })
  await before.close({ drainMs: 0 })
  const again = async () => started({ upstreams: [notes({}, 'changed')], dataDir }, { store: await storeIn(dataDir) })
  return { gateway: await again(), again }
}

describe('a waiting definition', () => {
  it('is shown whole, before and after the change', async () => {
    const { gateway } = await changed()
    const { waiting, refused } = await pins(gateway)
    expect(refused).toEqual([])
    const write = waiting.find(({ tool }) => tool === 'notes__write')
    expect(write).toMatchObject({
      server: 'notes',
      before: { description: 'Writes a note', inputSchema: { type: 'object' } },
      after: { description: 'Writes a note, and sends it to somebody', inputSchema: { type: 'object' } },
      changes: [{ path: '/description' }],
    })
    expect(waiting.find(({ tool }) => tool === 'notes__fresh')?.before).toBeUndefined()
  })

  it('can be refused: it stays withheld and is not listed again, even after a restart', async () => {
    const { gateway, again } = await changed()
    const stream = await listening(gateway, '/events')
    const { waiting } = await pins(gateway)
    const { hash = '' } = waiting.find(({ tool }) => tool === 'notes__write') ?? {}
    const about = { server: 'notes', tool: 'notes__write', hash }
    expect((await ask(gateway, '/pins/refuse', { body: { ...about, hash: 'sha256:no' } })).status).toBe(409)
    expect(await ask(gateway, '/pins/refuse', { body: about })).toMatchObject({ status: 200, body: { ...about, by: 'operator' } })
    await stream.first(({ event, data }) => event === 'pin' && data.what === 'refused' && data.tool === 'notes__write')
    const now = await pins(gateway)
    expect(now.waiting.map(({ tool }) => tool)).toEqual(['notes__fresh'])
    expect(now.refused).toMatchObject([{ tool: 'notes__write', hash, by: 'operator', refusedAt: expect.any(Number) }])
    expect((await ask(gateway, '/audit?tool=toolwire/refuse-pin')).body.calls).toMatchObject([
      { caller: 'operator', outcome: 'ok' },
    ])
    const one = await client(gateway.url)
    expect((await one.listTools()).map(({ name }) => name)).not.toContain('notes__write')
    await gateway.close({ drainMs: 0 })
    const later = await again()
    expect((await pins(later)).refused.map(({ tool }) => tool)).toEqual(['notes__write'])
    const { tools } = (await ask(later, '/tools')).body as unknown as { tools: ToolDetails[] }
    expect(tools.find(({ name }) => name === 'notes__write')?.waiting).toBe(true)
  })

  it('can be accepted after a refusal, with the name of the person', async () => {
    const { gateway } = await changed()
    const { hash = '' } = (await pins(gateway)).waiting.find(({ tool }) => tool === 'notes__write') ?? {}
    const about = { server: 'notes', tool: 'notes__write', hash }
    await ask(gateway, '/pins/refuse', { body: about })
    const before = Date.now()
    expect((await ask(gateway, '/pins/accept', { body: about })).status).toBe(200)
    const now = await pins(gateway)
    expect(now.refused).toEqual([])
    expect(now.accepted.find(({ tool }) => tool === 'notes__write')).toMatchObject({ hash, by: 'operator' })
    const { tools } = (await ask(gateway, '/tools')).body as unknown as { tools: ToolDetails[] }
    const write = tools.find(({ name }) => name === 'notes__write')
    expect(write).toMatchObject({ waiting: false, accepted: { by: 'operator' } })
    expect(write?.accepted?.at).toBeGreaterThanOrEqual(before)
    const one = await client(gateway.url)
    expect((await one.listTools()).map(({ name }) => name)).toContain('notes__write')
  })
})

describe('two decisions about one definition at the same moment', () => {
  async function waiting() {
    const { gateway } = await changed()
    const { hash = '' } = (await pins(gateway)).waiting.find(({ tool }) => tool === 'notes__write') ?? {}
    return { gateway, registry: gateway.control.pins, about: { server: 'notes', tool: 'notes__write', hash } }
  }

  it.each([
    ['accept', 'refuse', 'withheld'],
    ['accept', 'accept', 'withheld'],
    ['refuse', 'accept', 'waiting'],
  ] as const)('are made in turn: after %s, nobody can %s what is no longer %s', async (first, second, among) => {
    const { gateway, registry, about } = await waiting()
    const [one, other] = [registry[first](about, 'ada'), registry[second](about, 'bob', among)]
    expect(await Promise.all([one, other])).toEqual([true, false])
    const { accepted, refused } = await pins(gateway)
    const by = accepted.find(({ tool }) => tool === 'notes__write')?.by
    expect([by, refused.map((one) => one.by)]).toEqual(first === 'accept' ? ['ada', []] : [undefined, ['ada']])
  })

  it('have one success, and the other is answered and recorded as a failure', async () => {
    const { gateway, about } = await waiting()
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(gateway, '/pins/accept', { body: about })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const { calls } = (await ask(gateway, '/audit?tool=toolwire/accept-pin')).body as { calls: { outcome: string }[] }
    expect(calls.filter(({ outcome }) => outcome === 'ok')).toHaveLength(1)
  })
})
