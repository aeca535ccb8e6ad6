import { prompt, resource, server, template, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { audit, concurrency, pin, rateLimit, sanitize } from 'toolwire/guard'
import { listen, nodeHandler } from 'toolwire/node'
import { relay } from 'toolwire/relay'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

// Disables type checking of options, as in plain JavaScript or with a spread.
type Loose = (options: object) => unknown
const loosely = (make: unknown) => make as Loose
const run = () => 'done'
const about = { name: 's', version: '1.0.0' }
const listed = { name: 'far', inputSchema: { type: 'object' } } as const

const said = (make: () => unknown): string => {
  try {
    make()
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'DefinitionError') return thrown.message
    throw thrown
  }
  return 'nothing was said'
}

describe('An unknown option is refused by its name, with advice', () => {
  it.each([
    ['inputSchema', '`input`'],
    ['parameters', '`input`'],
    ['args', '`input`'],
    ['outputSchema', '`output`'],
    ['handler', '`run`'],
    ['execute', '`run`'],
    ['callback', '`run`'],
    ['annotations', '`hints`'],
    ['name', 'key'],
    ['desciption', '`description`'],
    ['scope', '`scopes`'],
    ['limits', '`limit`'],
    ['readOnly', 'hints: { readOnly: true }'],
    ['destructiveHint', 'hints: { destructive: true }'],
  ])('%s of a tool: %s', (name, instead) => {
    const sentence = said(() => loosely(tool)({ run, [name]: z.object({}) }))
    expect(sentence).toContain(`A tool has no option \`${name}\``)
    expect(sentence).toContain(instead)
  })

  it('a handler under another name is reported as such, and not as a missing `run`', () => {
    expect(said(() => loosely(tool)({ execute: run }))).toMatch(/`execute`.*`run`/)
  })

  it('an option that resembles no other is refused with the list of all options', () => {
    expect(said(() => loosely(tool)({ run, zzzzzzzzzz: 1 }))).toMatch(/`zzzzzzzzzz`.* title, description, .* run/)
  })

  it('an option with the value undefined is ignored', () => {
    expect(said(() => loosely(tool)({ run, inputSchema: undefined }))).toBe('nothing was said')
  })

  it.each(['readOnly', 'destructive', 'idempotent', 'openWorld'])('%sHint in hints', (name) => {
    expect(said(() => loosely(tool)({ run, hints: { [`${name}Hint`]: true } }))).toMatch(
      `\`hints\` has no option \`${name}Hint\`. Write \`${name}\`.`,
    )
    expect(said(() => relay(listed, { run, hints: { [`${name}Hint`]: true } } as never))).toMatch(name)
  })

  it('a hint that is not a boolean', () => {
    expect(said(() => loosely(tool)({ run, hints: { readOnly: 'yes' } }))).toBe(
      '`hints` cannot have `readOnly: "yes"`. Write true or false.',
    )
  })

  const cases: readonly [string, () => unknown, RegExp][] = [
    [
      'limit of a tool',
      () => loosely(tool)({ run, limit: { calls: 1, per: 'hour', bust: 2 } }),
      /`limit` has no option `bust`. Write `burst`/,
    ],
    ['a tool with a name as its first argument', () => loosely(tool)('search' as never), /no name of its own/],
    ['a prompt', () => loosely(prompt)({ run, arguments: {} }), /A prompt has no option `arguments`. Write `args`/],
    [
      'an argument of a prompt',
      () => loosely(prompt)({ run, args: { topic: { require: true } } }),
      /"topic".*`require`. Write `required`/,
    ],
    ['a resource', () => loosely(resource)({ url: 'notes://a', read: run }), /A resource has no option `url`. Write `uri`/],
    [
      'a resource with the options of a template',
      () => loosely(resource)({ uriTemplate: 'notes://{id}', read: run }),
      /template\(/,
    ],
    ['a template', () => loosely(template)({ uriTemplate: 'notes://{id}', handler: run }), /`handler`. Write `read`/],
    [
      'a template with the options of a resource',
      () => loosely(template)({ uri: 'notes://a', read: run }),
      /`uri`. Write `uriTemplate`/,
    ],
    ['a relayed tool', () => relay(listed, { run, timeot: 1 } as never), /`timeot`. Write `timeout`/],
    ['a server', () => loosely(server)({ ...about, tolls: {} }), /A server has no option `tolls`. Write `tools`/],
    ['a server with an option of its guard', () => loosely(server)({ ...about, rateLimit: {} }), /guard: { rateLimit: … }/],
    ['a server with an option of listen', () => loosely(server)({ ...about, port: 3000 }), /listen\(app/],
    [
      'limits of a server',
      () => loosely(server)({ ...about, limits: { inflight: 1 } }),
      /`limits` has no option `inflight`. Write `inFlight`/,
    ],
    [
      'timeout of a server',
      () => loosely(server)({ ...about, timeout: { idle: 1 } }),
      /`timeout` has no option `idle`. Write `idleMs`/,
    ],
    [
      'guard of a server',
      () => loosely(server)({ ...about, guard: { ratelimit: {} } }),
      /`guard` has no option `ratelimit`. Write `rateLimit`/,
    ],
    ['timeout of a guard', () => loosely(server)({ ...about, guard: { timeout: { total: 1 } } }), /`guard.timeout` .*`totalMs`/],
    [
      'approve of a guard',
      () => loosely(server)({ ...about, guard: { approve: { ask: run, remeber: {} } } }),
      /`guard.approve` .*`remember`/,
    ],
    ['rateLimit', () => loosely(rateLimit)({ calls: 1, per: 'hour' }), /`rateLimit` has no option `calls`. Say whose/],
    ['concurrency', () => loosely(concurrency)({ eech: 1 }), /`concurrency` has no option `eech`. Write `each`/],
    ['audit', () => loosely(audit)({ write: run, redacted: 'each' }), /`audit` has no option `redacted`. Write `redact`/],
    ['pin', () => loosely(pin)({ unkown: 'refuse' }), /`pin` has no option `unkown`. Write `unknown`/],
    ['sanitize', () => loosely(sanitize)({ rule: {} }), /`sanitize` has no option `rule`. Write `rules`/],
    [
      'rules of sanitize',
      () => loosely(sanitize)({ rules: { secret: 'strip' } }),
      /`sanitize.rules` has no option `secret`. Write `secrets`/,
    ],
    [
      'nodeHandler',
      () => nodeHandler(server(about), { origin: [] } as never),
      /nodeHandler\(\) has no option `origin`. Write `origins`/,
    ],
  ]
  it.each(cases)('%s', (_, make, sentence) => {
    expect(said(make)).toMatch(sentence)
  })

  const later: readonly [string, () => Promise<unknown>, RegExp][] = [
    [
      'listen',
      () => listen(server(about), { authentication: run } as never),
      /listen\(\) has no option `authentication`. Write `authenticate`/,
    ],
    [
      'limits of listen',
      () => listen(server(about), { limits: { bodybytes: 1 } } as never),
      /`limits` has no option `bodybytes`. Write `bodyBytes`/,
    ],
    ['connect', () => connect(server(about), { trust: true } as never), /connect\(\) has no option `trust`. Write `trusted`/],
    ['connect with a token', () => connect('https://a.example', { token: 'x' } as never), /`token`. Write `auth`/],
    [
      'limits of connect',
      () => connect(server(about), { limits: { idle: 1 } } as never),
      /`limits` has no option `idle`. Write `idleMs`/,
    ],
    [
      'answers of connect',
      () => connect(server(about), { answers: { forms: run } } as never),
      /`answers` has no option `forms`. Write `form`/,
    ],
    [
      'guard of connect',
      () => connect(server(about), { guard: { aprove: {} } } as never),
      /`guard` has no option `aprove`. Write `approve`/,
    ],
    [
      'harness',
      () => harness(server(about), { revison: '2025-06-18' } as never),
      /harness\(\) has no option `revison`. Write `revision`/,
    ],
  ]
  it.each(later)('%s', async (_, make, sentence) => {
    await expect(make()).rejects.toThrow(sentence)
  })
})

describe('Tools, resources and prompts are named by keys', () => {
  it.each(['tools', 'resources', 'prompts'])('a list of %s is refused, because its keys would be numbers', (what) => {
    const things = { tools: [tool({ run })], resources: [resource({ uri: 'notes://a', read: run })], prompts: [prompt({ run })] }
    expect(said(() => loosely(server)({ ...about, [what]: things[what as keyof typeof things] }))).toMatch(
      new RegExp(`\`${what}\` must be an object whose keys are the names`),
    )
    expect(said(() => loosely(server)({ ...about, [what]: new Map() }))).toMatch(/keys are the names/)
  })

  it('a definition without its function is reported by its name', () => {
    expect(said(() => loosely(server)({ ...about, tools: { search: { description: 'Finds', run } } }))).toMatch(
      /"search".*tool\(\{/,
    )
    expect(said(() => loosely(server)({ ...about, prompts: { greet: { run } } }))).toMatch(/"greet".*prompt\(\{/)
    expect(said(() => loosely(server)({ ...about, resources: { readme: { uri: 'notes://a', read: run } } }))).toMatch(
      /"readme".*resource\(\)/,
    )
  })
})
