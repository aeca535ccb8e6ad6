// Matching a URI takes a limited time, for any listed templates and any requested URI.
import fc from 'fast-check'
import { type Resource, resource, server, type Template, template } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { DefinitionError } from '../../../src/tools/checks/definition-error.js'
import '../../reported-faults.js'
import { expectWithin, howMany } from '../../soak.js'
import { speaking } from '../pipe.js'

const milliseconds = 150
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

/** The best of three by CPU time, so that a busy machine does not matter. */
async function cheapest(act: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let attempt = 0; attempt < 3 && best >= milliseconds; attempt++) {
    const start = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

/** The valid templates, as a server or a gateway would list them. */
function listed(texts: readonly string[]): Record<string, Resource | Template> {
  const entries = texts.flatMap((uriTemplate, at) => {
    try {
      return [[`t${at}`, template({ uriTemplate, read: () => undefined })] as const]
    } catch (thrown) {
      if (thrown instanceof DefinitionError) return []
      throw thrown
    }
  })
  return { ...Object.fromEntries(entries), fixed: resource({ uri: 'y:fixed', read: () => 'fixed' }) }
}

const variables = (operator: string, count: number, between: string) =>
  upTo(count)
    .map((at) => `{${operator}v${at}}`)
    .join(between)
const form = (operator: string, count: number) =>
  `{${operator}${upTo(count)
    .map((at) => `v${at}`)
    .join(',')}}`

/** Templates with as many ambiguities as possible. */
const hostileTemplates = fc
  .record({
    operator: fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'),
    count: fc.oneof(fc.integer({ min: 1, max: 32 }), fc.constantFrom(1_000, 60_000)),
    between: fc.constantFrom('', '/', 'a', '/a/', ','),
    inForm: fc.boolean(),
    end: fc.constantFrom('', '!', 'a'.repeat(1_000), '{x:1}{x}', '{?tag*}'),
    copies: fc.constantFrom(1, 40, 1_500),
  })
  .map(({ operator, count, between, inForm, end, copies }) => {
    const text = `x:${inForm ? form(operator, count) : variables(operator, count, between)}${end}`
    return upTo(count > 1_000 ? 1 : copies).map(() => text)
  })
const hostileUris = fc
  .tuple(
    fc.constantFrom('/', 'a', 'a/', '?v1=1&v2', '&v1', ';v0=a', '.a', ',', '%25', '?tag=1&tag=1'),
    fc.constantFrom(40, 4_000, 65_000),
  )
  .chain(([unit, length]) => fc.constantFrom('', '!', '%').map((end) => `x:${unit.repeat(length / unit.length)}${end}`))

describe('a URI', () => {
  it(`is read, watched or refused within ${milliseconds} ms, however many templates it could be of`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileTemplates, { minLength: 1, maxLength: 4 }), hostileUris, async (drawn, uri) => {
        const app = server({ name: 'a', version: '1', resources: listed(drawn.flat()) })
        const { ask } = await speaking(app, '2025-11-25')
        for (const method of ['resources/read', 'resources/subscribe']) {
          let reply: unknown
          const took = await cheapest(async () => {
            reply = await ask(method, { uri })
          })
          expect(reply).toHaveProperty('jsonrpc')
          expectWithin(took, milliseconds)
        }
        app.resources.updated(uri)
        expect(await ask('resources/read', { uri: 'y:fixed' })).toMatchObject({ result: { contents: [{ text: 'fixed' }] } })
      }),
      { numRuns: howMany(8, 40) },
    )
  })

  it('that takes too long to match is refused by name', async () => {
    const many = upTo(200).map((at) => `x:${variables('+', 30, '/')}!${at}{+z}`)
    const { ask } = await speaking(server({ name: 'a', version: '1', resources: listed(many) }), '2025-11-25')
    expect((await ask('resources/read', { uri: `x:${'/'.repeat(60_000)}` })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('use shorter URIs'),
    })
    expect((await ask('resources/read', { uri: 'x:a/b' })).error).toMatchObject({ message: 'Resource not found' })
  })

  it('shares its time limit with the others of one subscription', async () => {
    const many = upTo(20).map((at) => `x:${variables('+', 30, '/')}!${at}{+z}`)
    const { ask } = await speaking(server({ name: 'a', version: '1', resources: listed(many) }), '2026-07-28')
    const uris = upTo(1_000).map((at) => `x:${at}${'/'.repeat(3_000)}`)
    let reply: Awaited<ReturnType<typeof ask>> | undefined
    const took = await cheapest(async () => {
      reply = await ask('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
    })
    expect(reply?.error).toMatchObject({ code: -32602, message: expect.stringContaining('fewer of them') })
    // Parsing 3 MB of JSON takes most of the time.
    expectWithin(took, 2 * milliseconds)
  })

  it('is matched quickly among ten thousand templates with other prefixes', async () => {
    const many = Object.fromEntries(
      upTo(10_000).map((at) => [`t${at}`, template({ uriTemplate: `s${at}://{a}/{b}{?c}`, read: ({ a }) => a ?? '' })]),
    )
    const { ask } = await speaking(server({ name: 'a', version: '1', resources: many }), '2025-11-25')
    const uri = `s9999://${'a'.repeat(60_000)}/b`
    expect(await ask('resources/read', { uri })).toMatchObject({ result: { contents: [{ uri }] } })
  })
})
