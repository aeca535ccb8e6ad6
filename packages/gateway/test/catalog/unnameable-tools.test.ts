// Names that older revisions allow and clients reject: callers get a safe name, and the server gets its own.
import { describe, expect, it } from 'vitest'
import { exposedName } from '../../src/catalog/names/exposed-name.js'
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { ask, started, upstreamConfig } from '../support/running-gateway.js'
import { child, client, gateway, program, revisions, upstream, words } from '../support/upstream-fixture.js'

const unusual = ['get weather', 'weather/get', 'weather:get', '天気', '☁️ weather', 'Größe', 'x'.repeat(200), "it's 100 % <safe>"]

async function behind(names: readonly string[], more: Partial<UpstreamConfig> = {}, titled: readonly string[] = []) {
  const target = child(program('names-server.mjs'), JSON.stringify(names), JSON.stringify(titled))
  return gateway([upstream('odd', target, more)])
}

describe.each(revisions)('a tool whose name is unusual, for a client of %s', (revision) => {
  it.each([
    ['odd', /^odd__/],
    [false, /^(?!odd__)/],
  ] as const)('NAME-004 NAME-007 is offered under a safe name and called by its own, with the prefix %s', async (prefix, begins) => {
    const { url, offer } = await behind(unusual, { prefix })
    const one = await client(url, { revision })
    const listed = await one.listTools()
    expect(listed).toHaveLength(unusual.length)
    for (const { name } of listed) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
    for (const name of unusual) {
      const exposed = exposedName(prefix, name)
      expect(exposed).toMatch(begins)
      expect(words(await one.call(exposed))).toBe(`called ${name}`)
    }
    expect(offer.withheld).toEqual([])
  })
})

it("NAME-004 keeps its name when its server's other tools change, and after a reload", async () => {
  const alone = await (await client((await behind(['get weather'])).url)).listTools()
  const [{ name } = { name: '' }] = alone
  expect(name).toMatch(/^odd__get_weather_[0-9a-f]{24}$/)
  const names = ['get_weather', 'get weather', 'get/weather', `get_weather_${name.slice(-24)}`]
  const among = await client((await behind(names)).url)
  const called = async (tool: string) => words(await among.call(tool))
  expect(await called(name)).toBe('called get weather')
  expect(await called('odd__get_weather')).toBe('called get_weather')
  expect(new Set((await among.listTools()).map((tool) => tool.name)).size).toBe(4)
})

it("NAME-004 has the name from the operator's config", async () => {
  const { url } = await behind(['get weather'], { tools: { 'get weather': { rename: 'weather' } } })
  const one = await client(url)
  expect((await one.listTools()).map(({ name }) => name)).toEqual(['odd__weather'])
  expect(words(await one.call('odd__weather'))).toBe('called get weather')
})

it('has its own name as its title, unless it has one', async () => {
  const { url } = await behind(['get weather', 'weather/get', 'plain'], {}, ['weather/get'])
  const titles = (await (await client(url)).listTools()).map(({ definition }) => definition.title)
  expect(titles.map(String).sort()).toEqual(['Its title', 'get weather', 'undefined'])
})

it('is shown to operators with its own name, too', async () => {
  const target = child(program('names-server.mjs'), JSON.stringify(['get weather', 'plain']))
  const { body } = await ask(await started({ upstreams: [upstreamConfig('odd', target)] }), '/tools')
  expect(body.tools).toMatchObject([
    { name: exposedName('odd', 'get weather'), server: 'odd', ownName: 'get weather' },
    { name: 'odd__plain', server: 'odd', ownName: 'plain' },
  ])
})

describe('an invisible or misleading name', () => {
  /** The client library drops the first group with a log line. */
  const left = ['get\u200bweather', 'get\nweather', 'get\u0000', '\u202eteg', 'get\u{e0041}', 'get\u001b[31m', 'x'.repeat(1_025)]
  const listedPrompts = ['get\nweather', 'x'.repeat(1_025)]
  const others = ['get\u3164weather', '\u115fget', 'get\u{e0100}']

  it.each([...left, ...others])('withholds the tool and the prompt %j, with the reason', async (name) => {
    const { url, offer } = await behind([name, 'plain'])
    const one = await client(url)
    expect((await one.listTools()).map((tool) => tool.name)).toEqual(['odd__plain'])
    expect(await one.listPrompts()).toMatchObject([{ name: 'odd__plain' }])
    const why = expect.stringMatching(/^its name (contains hidden characters|is longer than 1024 characters)$/)
    const kinds = others.includes(name) ? ['tools'] : listedPrompts.includes(name) ? ['prompts'] : []
    expect(offer.withheld).toEqual(kinds.map((kind) => ({ upstream: 'odd', kind, name, why })))
  })
})

it('NAME-004 a prompt with an unusual name is requested by its own name', async () => {
  const one = await client((await behind(unusual)).url)
  for (const name of unusual)
    expect((await one.getPrompt(exposedName('odd', name))).messages).toMatchObject([{ content: { text: `asked for ${name}` } }])
})
