// Templates of untrusted servers: matching URIs against them takes a bounded time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { answering } from '../support/answering-server.js'
import { client, gateway, http, upstream } from '../support/upstream-fixture.js'

const milliseconds = 250
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

/** A server with only these templates, valid or not. */
async function listing(templates: readonly string[]): Promise<string> {
  const answers: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: { name: 'odd', version: '1' } },
    'resources/list': { resources: [{ uri: 'y:fixed', name: 'fixed' }] },
    'resources/templates/list': {
      resourceTemplates: templates.map((uriTemplate, at) => ({ uriTemplate, name: `t${at}` })),
    },
    'resources/read': { contents: [{ uri: 'y:fixed', text: 'fixed' }] },
  }
  return answering(answers)
}

const behind = async (templates: readonly string[]) => {
  const { url, offer } = await gateway([upstream('odd', http(await listing(templates)))])
  return { offer, one: await client(url, { revision: '2025-11-25' }) }
}

/** The best of three CPU times, so that a busy machine does not matter. */
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

const hostile = fc
  .record({
    operator: fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'),
    count: fc.constantFrom(1, 30, 20_000),
    inForm: fc.boolean(),
    copies: fc.constantFrom(1, 300),
  })
  .map(({ operator, count, inForm, copies }) => {
    const names = upTo(count).map((at) => `v${at}`)
    const text = inForm ? `{${operator}${names.join(',')}}` : names.map((name) => `{${operator}${name}}`).join('')
    return upTo(count > 1_000 ? 1 : copies).map((at) => `x:${text}!${at}`)
  })
const uris = fc
  .tuple(fc.constantFrom('/', 'a', '?v1=1&v2', ';v0=a', '.a'), fc.constantFrom(40, 4_000, 60_000))
  .map(([unit, length]) => `x:${unit.repeat(length / unit.length)}!7`)

describe('templates of an upstream', () => {
  it(`delay the read of a URI by at most ${milliseconds} ms, both sides of the gateway counted`, async () => {
    await fc.assert(
      fc.asyncProperty(hostile, uris, async (templates, uri) => {
        const { one } = await behind(templates)
        const took = await cheapest(() => one.readResource(uri).catch((thrown: unknown) => expect(thrown).toBeInstanceOf(Error)))
        expectWithin(took, milliseconds)
        expect(await one.readResource('y:fixed')).toMatchObject([{ text: 'fixed' }])
      }),
      { numRuns: 12 },
    )
  })

  it('are withheld if they are too long or have too many variables, with the reason', async () => {
    const { one, offer } = await behind(['x:{a}', `x:${'{a}'.repeat(40)}`, `x:${'a'.repeat(100_000)}{a}`])
    expect((await one.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['x:{a}'])
    expect(offer.withheld.map(({ why }) => why)).toEqual([
      expect.stringContaining('has 40 variables'),
      expect.stringContaining('is longer than 2048 characters'),
    ])
    for (const { name, why } of offer.withheld) expect(name.length + why.length).toBeLessThan(400)
  })

  it('are offered up to a thousand', async () => {
    const { one, offer } = await behind(upTo(1_200).map((at) => `t${at}:{a}`))
    expect(await one.listResourceTemplates()).toHaveLength(1_000)
    expect(offer.withheld).toMatchObject([{ upstream: 'odd', why: 'odd lists 1200 templates, and the first 1000 are offered' }])
  })
})
