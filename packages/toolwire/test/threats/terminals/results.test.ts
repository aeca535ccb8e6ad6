// Results are clean if `sanitize()` is in force on either side. All other untrusted text stays unchanged, and `visible` escapes it for
// display.
import { jsonSchema, reply, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { sanitize } from '../../../src/guard.js'
import type { JsonObject } from '../../../src/json.js'
import { visible } from '../../../src/text/visible.js'
import { connectScripted, plainTool, textResult, toolsPage } from '../../client/scripted.js'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { speaking } from '../../server/pipe.js'
import { words as all, everything, expectPlain } from './words.js'

/** Line ends are legitimate text. */
const words = all
  .filter(([kind]) => kind !== 'line separators')
  .map(([kind, text]) => [kind, text.replace(/[\u2028\u2029]/g, '')] as const)

const blocks = (text: string): JsonObject[] => [
  { type: 'text', text },
  { type: 'resource', resource: { uri: 'x:1', mimeType: 'text/plain', text } },
]
const newer = (text: string): JsonObject[] => [{ type: 'resource_link', uri: 'x:2', name: text, title: text, description: text }]

describe.each(every)('a client with `sanitize` at %s', (revision) => {
  const content = (text: string) => [...blocks(text), ...(since('2025-06-18').includes(revision) ? newer(text) : [])]

  it.each(words)('SECC-003 reads results without %s', async (_, text) => {
    const more = since('2025-06-18').includes(revision) ? { structuredContent: { a: text, [text]: [text, { b: text }] } } : {}
    for (const isError of [false, true]) {
      const answer = textResult(text, {
        content: content(text),
        isError,
        _meta: { 'x.example/note': text, [`x.example/${text}`]: 1 },
        ...more,
      })
      const script = { 'tools/list': toolsPage([plainTool('pay')]), 'tools/call': answer }
      const { client } = await connectScripted(script, { revision, options: { policies: [sanitize()] } })
      const result = await client.call('pay')
      expect(result.isError ?? false).toBe(isError)
      expectPlain(result)
    }
  })
})

describe.each(every)('a server with `sanitize` at %s', (revision) => {
  it.each(words)('SECS-004 sends results without %s', async (_, text) => {
    const output = jsonSchema<{ a: string }>({ type: 'object', properties: { a: { type: 'string' } } })
    const app = server({
      name: 's',
      version: '1',
      tools: {
        plain: tool({ description: 'Says', run: () => text }),
        blocks: tool({ description: 'Shows', run: () => blocks(text) as never }),
        wrong: tool({ description: 'Fails', run: () => reply.error(text) }),
        value: tool({ description: 'Gives', output, run: () => ({ a: text, [text]: text }) }),
      },
      policies: [sanitize()],
    })
    const { ask, params } = await speaking(app, revision)
    for (const name of ['plain', 'blocks', 'wrong', 'value']) {
      const { result } = await ask('tools/call', params({ name }))
      expect(result).toBeDefined()
      expectPlain(result)
    }
  })
})

it('the text of a definition stays unchanged, and `visible` escapes its hidden characters', async () => {
  const described = plainTool('pay', { title: everything, description: everything })
  const { client } = await connectScripted({ 'tools/list': toolsPage([described]) }, { revision: '2025-11-25' })
  const [pay] = await client.listTools()
  expect([pay?.displayName, pay?.description]).toEqual([everything, everything])
  expectPlain([visible(String(pay?.displayName)), visible(String(pay?.description))])
})
