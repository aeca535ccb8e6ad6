// The tables of options, limits and defaults are complete, and their numbers are correct.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { rateLimit } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { settingsSchema } from '../../packages/gateway/src/config/settings/settings-schema.js'
import { defaultClientLimits } from '../../packages/toolwire/src/client/options.js'
import { defaultRateLimit, strangersLimit } from '../../packages/toolwire/src/policy/rate-limit/index.js'
import { trustedLimits, untrustedLimits } from '../../packages/toolwire/src/schema/limits.js'
import { settingsOf } from '../../packages/toolwire/src/server/options.js'
import { defaultHttpLimits } from '../../packages/toolwire/src/transports/http/server/options.js'

const read = (page: string): string => readFileSync(fileURLToPath(new URL(`../${page}`, import.meta.url)), 'utf8')

/** The text below a heading, up to the next one. */
const below = (page: string, heading: string): string => {
  const [, after = ''] = read(page).split(`\n${heading}\n`)
  return after.split(/^## /m)[0] ?? ''
}

type Row = { readonly names: readonly string[]; readonly text: string }
const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => ({ text: line, names: [...line.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/\w+/g) ?? []) }))

/** The ways to write a number: with digits, or in a unit. */
function waysToSay(value: number): string[] {
  const units: [unit: string, size: number][] = [
    ['s', 1_000],
    ['min', 60_000],
    ['h', 3_600_000],
    ['KiB', 1_024],
    ['MiB', 1_024 * 1_024],
  ]
  const whole = units.filter(([, size]) => value % size === 0).map(([unit, size]) => `${value / size} ${unit}`)
  const words = { 3600000: ['an hour'], 86400000: ['a day'] }[value] ?? []
  return [value.toLocaleString('en'), ...whole, ...words]
}

/** Expects a row with this limit and its number. */
function expectSaid(rows: readonly Row[], name: string, value: number): void {
  const text = rows.find(({ names }) => names.includes(name))?.text
  expect(text, `a row about ${name}`).toBeDefined()
  const numbers = waysToSay(value).map((way) => new RegExp(`(?<![\\d,])${way}(?![\\d,]*\\d)`))
  expect(
    numbers.some((number) => number.test(text ?? '')),
    `${name} is ${value}: ${text}`,
  ).toBe(true)
}

const app = server({ name: 'defaults', version: '1.0.0', tools: { one: tool({ description: 'One', run: () => '1' }) } })
const unknown = { noSuchOptionAnywhere: true } as never

/** The option names in the error about an unknown option. */
async function optionsOf(give: () => unknown): Promise<string[]> {
  const thrown = await (async () => give())().catch((reason: unknown) => reason)
  const [, names = ''] = /there are (.*)\.$/.exec(thrown instanceof Error ? thrown.message : '') ?? []
  return names.split(', ')
}

describe('the options', () => {
  const internal = ['serves', 'asks', 'onSession'] // options for relays, which are undocumented
  it.each([
    [
      'server()',
      'reference/options.md',
      '## `server(options)`',
      () => server({ name: 'a', version: '1', ...(unknown as object) }),
    ],
    ['tool()', 'reference/options.md', '## `tool(definition)`', () => tool({ run: () => '', ...(unknown as object) })],
    ['listen()', 'reference/options.md', '## HTTP', () => listen(app, unknown)],
    ['connect()', 'reference/client.md', '## `connect(target, options)`', () => connect(app, unknown)],
  ] as const)('of %s are all in %s', async (_, page, heading, give) => {
    const names = await optionsOf(give)
    expect(names.length).toBeGreaterThan(10)
    const said = below(page, heading)
    expect(names.filter((name) => !internal.includes(name) && !new RegExp(`\\b${name}\\b`).test(said))).toEqual([])
  })
})

describe('the default of', () => {
  it.each(Object.entries(defaultClientLimits))('the client, %s, is in client.md', (name, value) => {
    expectSaid(rowsOf(below('reference/client.md', '## Limits')), name, value)
  })

  it.each(
    Object.entries(defaultClientLimits).filter(([name]) => name !== 'taskMs'),
  )('the client, %s, is in trust.md', (name, value) => {
    expectSaid(rowsOf(below('guides/trust.md', '## Bounds')), name, value)
  })

  it.each(Object.entries(defaultHttpLimits))('an HTTP server, %s, is in serving.md', (name, value) => {
    expectSaid(rowsOf(below('guides/serving.md', '## Limits and defaults')), name, value)
  })

  const { limits, timeLimits, pageSize, questionTimeoutMs } = settingsOf({ name: 'a', version: '1' })
  const { lists: _, reads: _r, ...numbers } = limits
  it.each(Object.entries({ ...numbers, pageSize }))('a server, %s, is in options.md', (name, value) => {
    expectSaid(rowsOf(below('reference/options.md', '## `server(options)`')), name, value)
  })

  it.each(
    Object.entries({ ...timeLimits, questionTimeout: questionTimeoutMs }),
  )('a call, %s, is in options.md', (name, value) => {
    const rows = rowsOf(below('reference/options.md', '## `server(options)`'))
    expectSaid(
      rows.filter(({ text }) => /^\| `(timeout|questionTimeout)`/.test(text)),
      name,
      value,
    )
  })

  it.each(Object.entries(numbers))('a server, %s, is in serving.md', (name, value) => {
    expectSaid(rowsOf(below('guides/serving.md', '## Limits and defaults')), name, value)
  })
})

describe('the limits of schemas', () => {
  const numbers = /^\| (?:size|depth of nesting|subschemas|steps|depth of one|instructions)[^|]*\|(.*)\|(.*)\|$/gm
  const said = [...below('reference/json-schema.md', '## Limits').matchAll(numbers)]

  it.each([
    ['your own schemas', 1, trustedLimits],
    ['schemas from a wire', 2, untrustedLimits],
  ] as const)('of %s are all in json-schema.md, in order', (_, column, limits) => {
    const wanted = Object.values(limits).map((value) => waysToSay(value))
    expect(said.map((row, at) => wanted[at]?.includes((row[column] ?? '').trim()))).toEqual(wanted.map(() => true))
  })
})

describe('the default rate limit', () => {
  const rows = rowsOf(below('guides/access-and-limits.md', '## Rate limits'))

  it.each([
    ['found by `authenticate`', defaultRateLimit],
    ['unverified', strangersLimit(defaultRateLimit)],
  ] as const)('of callers over HTTP, %s, is in access-and-limits.md', (who, { calls, per }) => {
    const row = rows.find(({ text }) => text.includes(who))?.text ?? ''
    expect(row.split('|').filter((cell) => cell.trim() === `${calls.toLocaleString('en')} a ${per}`)).toHaveLength(2)
  })
})

describe('a configured rate limit', () => {
  const tools = { one: tool({ description: 'One', run: () => '1' }) }
  const limit = { tool: { calls: 2, per: 'day' } } as const
  const places = {
    'guard.rateLimit': { guard: { rateLimit: limit } },
    'rateLimit(…)': { guard: { rateLimit: false }, policies: [rateLimit(limit)] },
  } as const
  const callers = { verified: { id: 'ana', scopes: [] }, unverified: { id: 'anonymous', scopes: [], anonymous: true } }

  it.each([
    ['guard.rateLimit', 'verified', 2],
    ['guard.rateLimit', 'unverified', 20],
    ['rateLimit(…)', 'verified', 2],
    ['rateLimit(…)', 'unverified', 2],
  ] as const)('in %s applies to %s callers as access-and-limits.md says', async (place, caller, allowed) => {
    const one = server({ name: 'limits', version: '1.0.0', tools, ...places[place] })
    await using client = await harness(one, { caller: callers[caller] })
    const failed: boolean[] = []
    for (let turn = 0; turn <= allowed; turn++) failed.push((await client.call('one')).isError === true)
    expect(failed).toEqual([...Array(allowed).fill(false), true])
  })
})

describe('the settings of the gateway', () => {
  const page = read('guides/gateway-config.md')

  /** The names of all settings under `toolwire`, at any depth of the schema. */
  function namesIn(schema: unknown): string[] {
    if (typeof schema !== 'object' || schema === null) return []
    const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : []
    return [...own, ...Object.values(schema).flatMap(namesIn)]
  }

  it.each([...new Set(namesIn(settingsSchema))])('%s is in gateway-config.md', (name) => {
    expect(page).toMatch(new RegExp(`["\`.]${name}\\b`))
  })
})
