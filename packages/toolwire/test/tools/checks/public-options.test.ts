// Every public function that takes options checks their names and their values in one way, and `undefined` means the default.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import * as main from 'toolwire'
import * as auth from 'toolwire/auth'
import * as clients from 'toolwire/client'
import * as oauth from 'toolwire/client/oauth'
import * as guards from 'toolwire/guard'
import * as llm from 'toolwire/llm'
import * as node from 'toolwire/node'
import { observe } from 'toolwire/observe'
import { postgresStores } from 'toolwire/postgres'
import { redisLimits } from 'toolwire/redis'
import * as relaying from 'toolwire/relay'
import * as ruling from 'toolwire/rules'
import { compile } from 'toolwire/schema'
import { serveStdio } from 'toolwire/stdio'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { limitsOf } from '../../../src/server/options.js'
import { withGiven } from '../../../src/tools/checks/known-options.js'
import { mcpEndpoint } from '../../../src/transports/http/server/mcp-endpoint.js'
import { defaultHttpLimits } from '../../../src/transports/http/server/options.js'

/** Makes something from the options. The required ones are in `valid`. */
type Case = { readonly make: (options: never) => unknown; readonly valid?: object }

const run = () => 'done'
const about = { name: 's', version: '1.0.0' }
const app = main.server(about)
const text = '{ "rules": [] }'
const url = 'https://auth.example'
const redirectUri = 'http://127.0.0.1:8976/callback'
const pool = { query: async () => ({ rows: [] }), connect: run, on: run } as never
const serverWith = (name: string) => (given: object) => main.server({ ...about, [name]: given })
const closing = async (open: Promise<{ close(): unknown }>) => (await open).close()
const rulesFile = `${import.meta.dirname}/no-rules.json`

const cases: Readonly<Record<string, Case>> = {
  tool: { make: main.tool, valid: { run } },
  prompt: { make: main.prompt, valid: { run } },
  'prompt args': { make: (topic) => main.prompt({ run, args: { topic } }) },
  resource: { make: main.resource, valid: { uri: 'notes://a', read: run } },
  template: { make: main.template, valid: { uriTemplate: 'notes://{id}', read: run } },
  relay: { make: (given) => relaying.relay({ name: 'far', inputSchema: {} }, given), valid: { run } },
  'tool hints': { make: (hints) => main.tool({ run, hints }) },
  'tool limit': { make: (limit) => main.tool({ run, limit }), valid: { calls: 1, per: 'hour' } },
  ask: { make: (given) => main.ask('Why?', main.jsonSchema({ type: 'object' }), given) },
  'ask.url': { make: (given) => main.ask.url('Go', 'https://a.example', given) },
  server: { make: main.server, valid: about },
  'server limits': { make: serverWith('limits') },
  'server timeout': { make: serverWith('timeout') },
  'server cache': { make: serverWith('cache') },
  'server guard()': { make: (given) => main.server(about).guard(given) },
  'server guard() limits': { make: (limits) => main.server(about).guard({ limits }) },
  compile: { make: (given) => compile({}, given) },
  'compile limits': { make: (limits) => compile({}, { limits }) },
  serveStdio: { make: (given) => serveStdio(app, given) },
  serveLines: {
    make: (given) => relaying.wire.serveLines(app, given),
    valid: { readable: Readable.from([]), writable: new Writable({ write: run }) },
  },
  MemoryEvents: { make: (given) => new node.MemoryEvents(given) },
  listen: { make: (given) => closing(node.listen(app, given)), valid: { signals: false } },
  'listen limits': { make: (limits) => closing(node.listen(app, { signals: false, limits })) },
  'listen timeouts': { make: (timeouts) => closing(node.listen(app, { signals: false, timeouts })) },
  'listen resource': {
    make: (resource) => closing(node.listen(app, { signals: false, authenticate: () => undefined, resource })),
    valid: { url: 'https://shop.example/mcp', authorizationServers: [url] },
  },
  nodeHandler: { make: (given) => node.nodeHandler(app, given) },
  strictServer: { make: (given) => relaying.strictServer(given, run) },
  connect: { make: (given) => closing(clients.connect(app, given)) },
  'connect limits': { make: (limits) => closing(clients.connect(app, { limits })) },
  'connect answers': { make: (answers) => closing(clients.connect(app, { answers })) },
  'connect asks': { make: (asks) => closing(clients.connect(app, { asks })) },
  pool: { make: (given) => closing(clients.pool({ app }, given)) },
  fetchIcon: { make: (given) => clients.fetchIcon({ src: 'data:,' }, given) },
  oauth: { make: oauth.oauth, valid: { redirectUri, authorize: run } },
  'oauth client': {
    make: (client) => oauth.oauth({ redirectUri, authorize: async () => url, client }),
    valid: { clientId: 'a' },
  },
  clientCredentials: { make: oauth.clientCredentials, valid: { clientId: 'a', clientSecret: 'b' } },
  clientMetadataDocument: {
    make: oauth.clientMetadataDocument,
    valid: { url: 'https://app.example/client.json', clientName: 'App', redirectUris: [redirectUri] },
  },
  enterpriseManaged: {
    make: oauth.enterpriseManaged,
    valid: { client: { clientId: 'a' }, identityProvider: { issuer: url, clientId: 'a', idToken: run } },
  },
  identityProvider: {
    make: (identityProvider) => oauth.enterpriseManaged({ client: { clientId: 'a' }, identityProvider }),
    valid: { issuer: url, clientId: 'a', idToken: run },
  },
  workloadIdentity: { make: oauth.workloadIdentity, valid: { clientId: 'a', assertion: run } },
  loopbackAuthorize: { make: oauth.loopbackAuthorize },
  signOut: { make: (given) => oauth.signOut(url, given), valid: { redirectUri, store: oauth.memoryTokens() } },
  toolkit: { make: (given) => llm.toolkit({ listTools: async () => [] } as never, given), valid: { provider: 'anthropic' } },
  'toolkit limits': {
    make: (limits) => llm.toolkit({ listTools: async () => [] } as never, { provider: 'anthropic', limits }),
  },
  'toolkit limits.schema': {
    make: (schema) => llm.toolkit({ listTools: async () => [] } as never, { provider: 'anthropic', limits: { schema } }),
  },
  apiKeys: { make: auth.apiKeys, valid: { store: auth.memoryApiKeys([]) } },
  createApiKey: { make: auth.createApiKey, valid: { scopes: [] } },
  bearerJwt: { make: auth.bearerJwt, valid: { issuer: url, resource: 'https://shop.example/mcp' } },
  oauthResource: { make: auth.oauthResource, valid: { issuer: url, url: 'https://shop.example/mcp' } },
  introspection: {
    make: auth.introspection,
    valid: { issuer: url, resource: url, endpoint: url, clientId: 'a', clientSecret: 'b' },
  },
  proxyHeader: { make: auth.proxyHeader, valid: { header: 'x-user', trustedPeers: ['10.0.0.1'] } },
  rules: { make: (given) => ruling.rules({ rules: [] }, given) },
  Rulebook: { make: (given) => new ruling.Rulebook({ rules: [] }, given) },
  runCases: { make: (given) => ruling.runCases({ rules: [] }, [], given) },
  readRules: { make: (given) => ruling.readRules(text, given) },
  loadRules: { make: (given) => ruling.loadRules(rulesFile, given) },
  watchRules: { make: (given) => closing(ruling.watchRules(rulesFile, given)), valid: { onError: run } },
  approvalQueue: { make: (given) => guards.approvalQueue(guards.memoryApprovals(), given) },
  memoryApprovals: { make: (room) => guards.memoryApprovals(undefined, room) },
  approve: { make: guards.approve, valid: { ask: run } },
  'guard approve': { make: (approve) => guards.guard({ approve }), valid: { ask: run } },
  audit: { make: guards.audit, valid: { write: run } },
  auditTo: { make: (given) => guards.auditTo({ write: run }, given) },
  verifyAudit: { make: (given) => guards.verifyAudit('', given) },
  memoryAudit: { make: guards.memoryAudit },
  concurrency: { make: guards.concurrency },
  guard: { make: guards.guard },
  'guard timeout': { make: (timeout) => guards.guard({ timeout }) },
  pin: { make: guards.pin },
  'pin scan': { make: (scan) => guards.pin({ scan }) },
  rateLimit: { make: guards.rateLimit },
  sanitize: { make: guards.sanitize },
  'sanitize rules': { make: (rules) => guards.sanitize({ rules }) },
  'sanitize sizes': { make: (sizes) => guards.sanitize({ sizes }) },
  scan: { make: (given) => guards.scan({ name: 'a' }, given) },
  withLocalFallback: { make: (given) => guards.withLocalFallback(guards.memoryLimits(), given), valid: { replicas: 1 } },
  redisLimits: { make: (given) => redisLimits({ eval: async () => 0 }, given), valid: { replicas: 1 } },
  postgresStores: { make: (given) => postgresStores(pool, given), valid: { replicas: 1 } },
  observe: { make: observe },
  harness: { make: (given) => harness(app, given) },
  'harness caller': { make: (caller) => harness(app, { caller }) },
  parseJson: { make: (given) => relaying.parseJson('1', given) },
}

/** They take no options of ours: values, functions, or the documents and entries of others. */
const withoutOptions = [
  ...['Declined', 'DefinitionError', 'InputRequired', 'Refusal', 'Reply', 'RpcError', 'ToolError', 'SchemaError', 'CallFailure'],
  ...['InvalidArguments', 'InvalidResult', 'MisdirectedQuestion', 'ResourceMissing', 'ToolCallError', 'TransportError'],
  ...['OAuthFailure', 'RulesError', 'JsonError', 'Suspension', 'jsonSchema', 'reportTo', 'withinRoots', 'jsonSchemaOf'],
  ...['validator', 'withoutAdditionalProperties', 'memoryRevisions', 'fileStore', 'memoryTokens', 'anyOf', 'memoryApiKeys'],
  ...['scopeHierarchy', 'explain', 'defineRules', 'auditLog', 'auditLine', 'askCaller', 'definitionHash', 'effectiveHints'],
  ...['findingsOf', 'hideSecrets', 'memoryGrants', 'memoryLimits', 'memoryPins', 'yieldWhenBusy', 'unknownTool'],
  // An entry of an mcp.json may have members of its host.
  'spawnServer',
]

const messageOf = async ({ make }: Case, options: object): Promise<string> => {
  try {
    await make(options as never) // as a program in JavaScript passes them
    return ''
  } catch (thrown) {
    return (thrown as Error).message
  }
}

/** An unknown name that resembles none is refused with the list of all. */
const namesOf = async (one: Case): Promise<readonly string[]> => {
  const message = await messageOf(one, { ...one.valid, zzzzzzzzzzzzzzzzzzzzz: 1 })
  const { 1: names = '' } = /`z+`.* there are ([^.]+)\.$/i.exec(message) ?? []
  return names.split(', ')
}

/** The answer of a child that serves its own stdin with these options undefined. The streams of this process are not ours to serve. */
const pingOverStdio = (names: readonly string[]): unknown => {
  const code = `
    import { server } from 'toolwire'
    import { serveStdio } from 'toolwire/stdio'
    await serveStdio(server({ name: 's', version: '1.0.0' }), { ${names.map((name) => `${name}: undefined`).join(', ')} })`
  const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
  const options = { input, cwd: import.meta.dirname, encoding: 'utf8' } as const
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], options))
}

const all = Object.entries(cases)

it('every public function is checked here, or takes no options', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/api.md', import.meta.url), 'utf8')
  const functions = [...page.matchAll(/^\| `(\w+)` \| (?:function|class) \|/gm)].map(([, name]) => name)
  expect(functions.length).toBeGreaterThan(80)
  expect(functions.filter((name) => !Object.hasOwn(cases, name ?? '') && !withoutOptions.includes(name ?? ''))).toEqual([])
})

describe.each(all)('the options of %s', (of, one) => {
  it('are refused if one is misspelt', async () => {
    expect((await namesOf(one)).filter((name) => /^\w+$/.test(name)).length).toBeGreaterThan(0)
  })

  it('may be undefined, unless they are required', async () => {
    const none = Object.fromEntries((await namesOf(one)).map((name) => [name, undefined]))
    if (of === 'serveStdio') expect(pingOverStdio(Object.keys(none))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    else expect(await messageOf(one, { ...none, ...one.valid })).toBe('')
  })

  it('are refused by name if a value is wrong, with those that are possible', async () => {
    for (const name of await namesOf(one)) {
      const message = await messageOf(one, { ...one.valid, [name]: Number.NaN })
      expect(message, name).toContain(name)
      const [word] = /'[\w-]+'/.exec(/ Write .*/.exec(message)?.[0] ?? '') ?? []
      const isNumber = / Write .*number/.test(message)
      const wrong = [...(isNumber ? [-1, '5', '2020-01-01T00:00:00Z'] : []), ...(word ? [`${word.slice(1, -1)}s`] : [])]
      for (const value of / since 1970/.test(message) ? wrong.slice(1) : wrong)
        expect(await messageOf(one, { ...one.valid, [name]: value }), `${name}: ${value}`).toContain(name)
      for (const value of [null, Symbol('wrong')])
        expect(await messageOf(one, { ...one.valid, [name]: value }), `${name}: ${String(value)}`).not.toBe('')
    }
  })
})

describe('Limits that are undefined are the default ones', () => {
  const undefinedFor = (defaults: object) => Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]))

  it('wherever defaults and given options are merged', () => {
    expect(withGiven({ a: 1, b: 2 }, { a: undefined, b: 3 })).toEqual({ a: 1, b: 3 })
  })

  it('of a server', () => {
    expect(limitsOf(undefinedFor(limitsOf()))).toEqual(limitsOf())
  })

  it('of an HTTP endpoint', () => {
    const { limits } = mcpEndpoint(app['~application'], { limits: undefinedFor(defaultHttpLimits) })
    expect(limits).toEqual(defaultHttpLimits)
  })

  it('of JSON Schema validation', () => {
    let schema = {}
    for (let depth = 0; depth < 40; depth++) schema = { not: schema }
    expect(() => compile(schema, { limits: { depth: undefined } })).toThrow(/deep/)
  })

  it('of rate limits in a guard, whose store stays that of the server', async () => {
    const keys: string[] = []
    const limitStore = { take: (key: string) => Number(keys.push(key) < 0) }
    const shop = main.server({
      ...about,
      tools: { look: main.tool({ run }) },
      limitStore,
      guard: { rateLimit: { store: undefined, local: undefined, strangers: undefined } },
    })
    const one = await harness(shop)
    await one.call('look')
    expect(keys.some((key) => key.includes('look'))).toBe(true)
  })

  it('of an approval, which is bound to the version of the rules', async () => {
    const versions: unknown[] = []
    const ask = ({ policyVersion }: guards.ApprovalRequest) => {
      versions.push(policyVersion)
      return 'allow' as const
    }
    const rules = ruling.rules({ rules: [{ name: 'all', decision: 'ask' }] })
    const guard = { rules, approve: { ask, version: undefined, when: undefined } }
    const one = await harness(main.server({ ...about, tools: { look: main.tool({ run }) }, guard }))
    await one.call('look')
    expect(versions).toEqual([rules.version])
  })

  it('of sanitize, whose rules remove by default', async () => {
    const policy = guards.sanitize({ rules: { invisible: undefined, terminal: undefined } })
    const tools = { look: main.tool({ run: () => 'a\u200bb\u001b[31mred' }) }
    const one = await harness(main.server({ ...about, tools, policies: [policy] }))
    expect((await one.call('look')).content).toEqual([{ type: 'text', text: 'abred' }])
  })
})
