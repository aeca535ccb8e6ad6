import { describe, expect, it } from 'vitest'
import type { Drift, Server, Tool } from '../../src/api/types.js'
import {
  exposureOf,
  groupTools,
  isPending,
  matchesSearch,
  passesExposureFilter,
  toolStandingOf,
} from '../../src/exposed/exposure.js'
import { claimTexts, effectOf } from '../../src/parts/effect-claims.js'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  server: 'files',
  ownName: name,
  inputSchema: { type: 'object' },
  hints: {},
  claims: {},
  hintBasis: { readOnly: 'unsaid', destructive: 'unsaid', idempotent: 'unsaid', openWorld: 'unsaid' },
  hash: `sha256:${name}`,
  waiting: false,
  sets: [],
  trusted: false,
  state: 'on',
  decision: { anyone: 'allow' },
  ...more,
})
const server = (id: string): Server => ({ id, target: {}, state: 'ready', since: 0, restarts: 0, trusted: false, tools: 0 })
const drift = (name: string, more: Partial<Drift> = {}): Drift => ({
  server: 'files',
  tool: name,
  hash: 'h',
  before: undefined,
  after: {},
  ...{ changes: [], advice: [] },
  ...more,
})
const noPins = { accepted: [], waiting: [], findings: [], refused: [] }

const exposure = exposureOf({
  tools: [
    tool('a', { title: 'Read a file', inputSchema: { type: 'object', properties: { path: {} } }, sets: ['reading'] }),
    tool('b', { waiting: true }),
    tool('c', { waiting: true, sets: ['reading', 'writing'] }),
    tool('d', { waiting: true, state: 'off' }),
    tool('e', { state: 'off', server: 'mail' }),
    tool('f', { state: 'hidden', server: 'mail' }),
  ],
  servers: [server('files'), server('mail'), server('empty')],
  withheld: [{ upstream: 'mail', kind: 'tools', name: 'x y', why: 'no name' }],
  pins: {
    accepted: [],
    waiting: [drift('b'), drift('c', { before: {} })],
    findings: [],
    refused: [{ ...drift('d'), refusedAt: 1, by: 'ana' }],
  },
})
const named = (name: string) => exposure.tools.find((one) => one.tool.name === name)!

describe('the exposure', () => {
  it('describes the state of each tool', () => {
    expect(exposure.tools.map(toolStandingOf)).toEqual(['on', 'new', 'changed', 'refused', 'off', 'hidden'])
  })

  it('distinguishes definitions of two servers with the same name', () => {
    const other = exposureOf({
      tools: [tool('b', { server: 'mail' })],
      servers: [],
      withheld: [],
      pins: { ...noPins, waiting: [drift('b')] },
    })
    expect(other.tools[0]).not.toHaveProperty('drift')
  })

  it('has the complete accepted definition of a tool, and not an older one', () => {
    const pin = { server: 'files', tool: 'a', hash: 'sha256:a', definition: { name: 'a', icons: [] }, at: 1 }
    const read = (hash: string) =>
      exposureOf({ tools: [tool('a', { hash })], servers: [], withheld: [], pins: { ...noPins, accepted: [pin] } }).tools[0]
        ?.definition
    expect(read('sha256:a')).toEqual(pin.definition)
    expect(read('sha256:b')).toBeUndefined()
    expect(named('b').definition).toEqual({})
  })

  it('is not settled while a definition without findings is pending', () => {
    expect(isPending(exposure)).toBe(false)
    const tools = [tool('b', { waiting: true })]
    expect(isPending(exposureOf({ tools, servers: [], withheld: [], pins: noPins }))).toBe(true)
  })

  it('is searched by every word in names, titles and arguments', () => {
    expect(matchesSearch(named('a'), ' READ  path ')).toBe(true)
    expect(matchesSearch(named('a'), 'read mail')).toBe(false)
    expect(matchesSearch(named('a'), 'reading')).toBe(true)
    expect(matchesSearch(named('b'), '')).toBe(true)
  })

  it('can be filtered for tools that need attention', () => {
    const shown = (filter: Parameters<typeof passesExposureFilter>[0]) =>
      exposure.tools.filter((one) => passesExposureFilter(filter, one)).map((one) => one.tool.name)
    expect(shown('waiting')).toEqual(['b', 'c', 'd'])
    expect(shown('off')).toEqual(['e'])
    expect(shown('hidden')).toEqual(['f'])
    expect(shown('all')).toHaveLength(6)
  })

  it('is grouped by server, pending tools first, and includes servers without tools', () => {
    const groups = groupTools(exposure, 'server').map(({ name, tools }) => [name, tools.map((one) => one.tool.name).join('')])
    expect(groups).toEqual([
      ['files', 'bcad'],
      ['mail', 'ef'],
      ['empty', ''],
    ])
  })

  it('is grouped by toolset, with a tool in each of its toolsets', () => {
    const groups = groupTools(exposure, 'set').map(({ name, tools }) => [name, tools.map((one) => one.tool.name).join('')])
    expect(groups).toEqual([
      ['reading', 'ca'],
      ['', 'bdef'],
      ['writing', 'c'],
    ])
  })

  it('lists the pending definitions of each server, with the findings of its scan', () => {
    const finding = { server: 'mail', kind: 'hidden', why: 'w', holds: true, path: '', excerpt: '', tools: ['x'] } as const
    const { waiting } = exposureOf({
      tools: [],
      servers: [],
      withheld: [],
      pins: { ...noPins, waiting: [drift('x', { server: 'mail' }), drift('a'), drift('b')], findings: [finding] },
    })
    expect(waiting.map(({ server, drifts, findings }) => [server, drifts.map(({ tool }) => tool), findings])).toEqual([
      ['files', ['a', 'b'], []],
      ['mail', ['x'], [finding]],
    ])
  })

  it('lists the withheld tools with their servers', () => {
    expect(exposure.withheld).toEqual([{ upstream: 'mail', kind: 'tools', name: 'x y', why: 'no name' }])
  })
})

describe('the claims of a server about a tool', () => {
  it('default to the worst case', () => {
    expect(claimTexts({}).map(({ words, said }) => [words, said])).toEqual([
      ['May change something', false],
      ['May destroy or overwrite', false],
      ['Repeated calls repeat the effect', false],
      ['Reaches the outside world', false],
    ])
  })

  it('are red only if the server itself claims that the tool is destructive', () => {
    const claimSets = [
      {},
      { readOnly: false },
      { destructive: false },
      { readOnly: true, destructive: true },
      { idempotent: true },
    ]
    expect(claimSets.map((claims) => [effectOf(claims).name, effectOf(claims).tone])).toEqual([
      ['not said', 'neutral'],
      ['writes', 'warning'],
      ['writes', 'warning'],
      ['reads', 'neutral'],
      ['not said', 'neutral'],
    ])
    expect(claimSets.flatMap((claims) => claimTexts(claims)).filter(({ tone }) => tone === 'danger')).toEqual([])
    expect([effectOf({ destructive: true }).tone, claimTexts({ destructive: true })[1]?.tone]).toEqual(['danger', 'danger'])
  })

  it('do not mention destruction for a read-only tool', () => {
    expect(claimTexts({ readOnly: true, destructive: true, openWorld: false }).map(({ words }) => words)).toEqual([
      'Only reads',
      'Stays within its own system',
    ])
  })
})
