// Long lists are processed in slices, so that other work is not blocked, whatever they contain.
import { type Prompt, prompt, type Resource, resource, server, type Template, template, tool } from 'toolwire'
import type { AnyTool } from 'toolwire/relay'
import { Rulebook } from 'toolwire/rules'
import { afterEach, expect, it, vi } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import { aggregatePrompts } from '../../src/catalog/definitions/prompts.js'
import { aggregateResources } from '../../src/catalog/definitions/resources.js'
import {
  type DefinitionContext,
  DefinitionMemo,
  ListedUris,
  type SettledEntries,
} from '../../src/catalog/definitions/settle-names.js'
import { aggregateTools } from '../../src/catalog/definitions/tools.js'
import { missingNames, missingNamesInTurns, type NameSources } from '../../src/catalog/missing-names/missing-names.js'
import { UpstreamCatalog } from '../../src/catalog/upstream-catalog.js'
import { SuspendedCalls } from '../../src/relay/suspended-calls.js'
import { config, http, listening, upstream } from '../support/upstream-fixture.js'

afterEach(() => void vi.restoreAllMocks())

const making = (): DefinitionContext => ({
  suspendedCalls: new SuspendedCalls(),
  ownGatewayId: 'here',
  isWanted: () => true,
  offered: () => undefined,
  withholdReasons: async () => new Map(),
  onProgress: undefined,
  isAccepted: () => true,
  listedUris: new ListedUris(),
})

type Make = {
  readonly of: (name: string) => object
  readonly offer: (all: readonly UpstreamCatalog[]) => Promise<SettledEntries<unknown>>
}

const kinds: { readonly [kind: string]: Make } = {
  tools: {
    of: (name) => ({ tools: { [name]: tool({ description: name, run: () => name }) } }),
    offer: (all) => aggregateTools(all, making(), new DefinitionMemo<AnyTool>()),
  },
  prompts: {
    of: (name) => ({ prompts: { [name]: prompt({ description: name, run: () => name }) } }),
    offer: (all) => aggregatePrompts(all, making(), new DefinitionMemo<Prompt>()),
  },
  resources: {
    of: (name) => ({ resources: { [name]: resource({ uri: `memo://${name}`, read: () => name }) } }),
    offer: (all) => aggregateResources(all, making(), new DefinitionMemo<Resource | Template>()),
  },
  templates: {
    of: (name) => ({ resources: { [name]: template({ uriTemplate: `memo://${name}/{a}`, read: () => name }) } }),
    offer: (all) => aggregateResources(all, making(), new DefinitionMemo<Resource | Template>()),
  },
}

/** An upstream that lists this many of a kind. */
async function listingMany(kind: string, count: number, random: Random): Promise<UpstreamCatalog> {
  const parts = Array.from({ length: count }, (_, at) => kinds[kind]?.of(`${random.word(5)}${at}`) ?? {})
  const [member = ''] = Object.keys(parts[0] ?? {})
  const entries = Object.assign({}, ...parts.map((one) => (one as Record<string, object>)[member]))
  const { url } = await listening(server({ name: 'many', version: '1.0.0', [member]: entries }))
  const holdings = new UpstreamCatalog(upstream('many', http(url)))
  await holdings.open()
  return holdings
}

/** Counts the turns of the event loop until its end. */
function countingTurns(): { readonly end: () => number } {
  let turns = 0
  let isOver = false
  const another = () => {
    turns++
    if (!isOver) setImmediate(another)
  }
  setImmediate(another)
  return {
    end: () => {
      isOver = true
      return turns
    },
  }
}

it.each(Object.keys(kinds))('%s: the event loop gets a turn at least once in a few entries', async (kind) => {
  const random = new Random(7)
  for (let run = 0; run < 3; run++) {
    const count = 100 + random.below(400)
    const holdings = await listingMany(kind, count, random)
    // A clock that advances a millisecond at each reading, and so for each entry.
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++)
    const counting = countingTurns()
    const offered = await kinds[kind]?.offer([holdings])
    const turns = counting.end()
    clock.mockRestore()
    expect(offered?.entries).toHaveLength(count)
    expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 25) - 1)
  }
})

it('a prompt with too long a name is not offered', async () => {
  const digested = vi.spyOn(JSON, 'stringify')
  const catalog = new UpstreamCatalog(upstream('many', http('http://127.0.0.1:9/mcp')))
  catalog.prompts = [{ name: '/'.repeat(100_000) }] as typeof catalog.prompts
  const offered = await aggregatePrompts([catalog], making(), new DefinitionMemo<Prompt>())
  expect(offered.withheld).toMatchObject([{ kind: 'prompts', why: 'its name is longer than 1024 characters' }])
  expect(digested).not.toHaveBeenCalled()
})

it('names in rules: the event loop gets turns during a search among many tools, with the same result', async () => {
  const random = new Random(8)
  for (let run = 0; run < 3; run++) {
    const count = 100 + random.below(400)
    const inputSchema = () => ({
      type: 'object',
      properties: { [random.word(5)]: { type: 'string' } },
      additionalProperties: false,
    })
    const tools = Array.from({ length: count }, (_, at) => ({ name: `t${at}`, inputSchema: inputSchema() }))
    const when = { server: 'many', tool: '*', arguments: { absent: { const: 'x' } } }
    const named: NameSources = {
      upstreams: [{ config: config('many', http('http://127.0.0.1:9/mcp')), tools }],
      sets: { some: ['many__nothing'] },
      rules: new Rulebook({ rules: [{ name: 'no text', when, decision: 'deny' }] }),
    }
    await new Promise((resolve) => setImmediate(resolve)) // lets earlier callbacks run
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++)
    const counting = countingTurns()
    const missing = await missingNamesInTurns(named)
    const turns = counting.end()
    clock.mockRestore()
    expect(missing).toHaveLength(2)
    expect(missing).toEqual(missingNames(named))
    // Each tool is checked twice: its name, and its arguments.
    expect(turns).toBeGreaterThanOrEqual(Math.floor((2 * count) / 25) - 1)
  }
})
