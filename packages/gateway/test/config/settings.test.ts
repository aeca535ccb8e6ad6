// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { describe, expect, it } from 'vitest'
import { describeConfig } from '../../src/config/describe-config.js'
import { diffConfigs } from '../../src/config/diff-configs.js'
import { defaultPort, type GatewayConfig, loadConfig } from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const server = { command: 'x' }
const load = (toolwire: object, more = {}): Promise<GatewayConfig> =>
  folder.load({ mcpServers: { files: server }, toolwire }, more)

describe('settings', () => {
  it('have defaults', async () => {
    const { upstreams, secrets: _, written, ...config } = await folder.load({ mcpServers: { files: server } })
    expect(written).toEqual({ settings: {}, servers: { files: [server, null] } })
    expect(upstreams).toEqual([
      {
        id: 'files',
        disabled: false,
        lazy: false,
        trusted: false,
        prefix: 'files',
        tools: {},
        target: { kind: 'child', command: 'x', args: [], env: {} },
      },
    ])
    expect(config).toEqual({
      sets: {},
      port: defaultPort,
      host: '127.0.0.1',
      console: { host: '127.0.0.1' },
      allowedHosts: [],
      allowedOrigins: [],
      dataDir: folder.at('home/.local/share/toolwire'),
      logLevel: 'info',
      guard: {
        rate: { calls: 60, per: 'minute', burst: 20 },
        lists: { calls: 30, per: 'minute' },
        sanitize: { rules: {} },
        pins: true,
        approvals: true,
        readOnlyClaims: 'run',
        audit: true,
        inFlight: 2_000,
        inFlightEach: 64,
        inFlightUpstream: 32,
        queue: 256,
      },
      approvals: { ask: 'console', waitMs: 300_000, holdMs: 45_000, mostPending: 100 },
      retention: {},
      callers: { loopback: true, apiKeys: false },
      clients: {},
      source: folder.at('mcp.json'),
      files: [folder.at('mcp.json')],
      warnings: [],
    })
  })

  it('can all be given', async () => {
    const tools = {
      read: { rename: 'read_file', title: 'Read', description: 'Reads ${x}', hints: { readOnly: true } },
      rm: { hidden: true, arguments: { root: '${ROOT}', deep: [{ key: '${ROOT}' }] } },
    }
    const config = await load(
      {
        port: 0,
        host: '127.0.0.2',
        allowedHosts: ['gate.example', 'Gate.Example:8080', '[2001:db8::1]'],
        allowedOrigins: ['https://app.example'],
        dataDir: 'data',
        logLevel: 'debug',
        policy: '~/policy.yaml',
        sets: { readers: ['files__read_*'] },
        servers: {
          files: { trusted: true, lazy: true, prefix: false, timeout: { idleMs: 5 }, revision: ['x'], only: ['read'], tools },
        },
        guard: {
          rate: false,
          lists: { calls: 5, per: 'second' },
          sanitize: { rules: { links: 'off' } },
          pins: 'strict',
          queue: 0,
        },
        approvals: { ask: 'both', waitMs: 1_000 },
        retention: { days: 30 },
        webhook: { url: 'https://hook.example', secret: '${SECRET}' },
        clients: { 'my-agent*': { schemas: 'plain' }, '*': {} },
        callers: { apiKeys: true, oauth: { issuer: 'https://auth.example', audience: ['a'], scopes: [] } },
      },
      { env: { ROOT: '/srv', SECRET: 'sixteen characters' } },
    )
    expect(config).toMatchObject({
      port: 0,
      host: '127.0.0.2',
      dataDir: folder.at('data'),
      policy: folder.at('home/policy.yaml'),
      guard: { rate: false, lists: { calls: 5 }, pins: 'strict', approvals: true, queue: 0 },
      approvals: { ask: 'both', waitMs: 1_000, mostPending: 100 },
      webhook: { secret: 'sixteen characters' },
      clients: { 'my-agent*': { schemas: 'plain' }, '*': {} },
      callers: { loopback: false, apiKeys: true, oauth: { issuer: 'https://auth.example' } },
    })
    expect(config.upstreams[0]).toMatchObject({
      trusted: true,
      lazy: true,
      prefix: false,
      timeout: { idleMs: 5 },
      revision: ['x'],
      only: ['read'],
      tools: { read: tools.read, rm: { hidden: true, arguments: { root: '/srv', deep: [{ key: '/srv' }] } } },
    })
  })

  it('accept a spool with a PostgreSQL store, in the file or in the environment', async () => {
    const guard = { audit: { spool: true } }
    const store = 'postgres://db.example/toolwire'
    expect((await folder.load({ toolwire: { guard, store } })).guard.audit).toEqual({ spool: true })
    expect((await folder.load({ toolwire: { guard } }, { env: { TOOLWIRE_STORE: store } })).guard.audit).toEqual({ spool: true })
  })

  it.each(['rate', 'lists'])('read a limit without a period, %s, as one for a minute', async (limit) => {
    const { guard } = await folder.load({ toolwire: { guard: { [limit]: { calls: 120 } } } })
    expect(guard).toMatchObject({ [limit]: { calls: 120, per: 'minute' } })
    expect(guard).not.toHaveProperty([limit, 'burst'])
  })

  it.each([
    [{ prot: 1 }, '/toolwire/prot', /did you mean 'port'/],
    [{ port: 99_999 }, '/toolwire/port', /at most 65535, got the number 99999/],
    [{ port: 'hunter2' }, '/toolwire/port', /expected an integer, got another string/],
    [{ logLevel: 'hunter2' }, '/toolwire/logLevel', /expected one of "debug"/],
    [{ sets: { a: 'x' } }, '/toolwire/sets/a', /expected an array/],
    [{ sets: { 'A b': ['x'] } }, '/toolwire/sets/A b', /lowercase letters/],
    [{ guard: { rate: { calls: 5, pre: 'minute' } } }, '/toolwire/guard/rate/pre', /did you mean 'per'/],
    [{ guard: { rate: true } }, '/toolwire/guard/rate', /expected false/],
    [{ guard: { pins: 'hunter2' } }, '/toolwire/guard/pins', /expected one of true, false or "strict"/],
    [{ guard: { audit: { spol: true } } }, '/toolwire/guard/audit/spol', /did you mean 'spool'/],
    [{ guard: { audit: { spool: true } } }, '/toolwire/guard/audit/spool', /needs a PostgreSQL store/],
    [{ approvals: { ask: 'hunter2' } }, '/toolwire/approvals/ask', /expected one of "console", "caller" or "both"/],
    [{ guard: { hunter: 1 } }, '/toolwire/guard/hunter', /unknown property 'hunter'; remove it/],
    [{ servers: { fils: {} } }, '/toolwire/servers/fils', /no server of this name; did you mean 'files'/],
    [{ servers: { zzzzzzz: {} } }, '/toolwire/servers/zzzzzzz', /known servers: files/],
    [{ servers: { files: { trsuted: true } } }, '/toolwire/servers/files/trsuted', /did you mean 'trusted'/],
    [{ servers: { files: { prefix: true } } }, '/toolwire/servers/files/prefix', /./],
    [{ servers: { files: { prefix: 'a__b' } } }, '/toolwire/servers/files/prefix', /single _/],
    [{ servers: { files: { prefix: 'a_' } } }, '/toolwire/servers/files/prefix', /single _/],
    [{ servers: { files: { tools: { a: { rename: 'a b' } } } } }, '/toolwire/servers/files/tools/a/rename', /expected/],
    [{ servers: { files: { tools: { a: { hint: {} } } } } }, '/toolwire/servers/files/tools/a/hint', /did you mean 'hints'/],
    [{ webhook: { url: 'https://a.example', secret: 4711 } }, '/toolwire/webhook/secret', /got a number$/],
    [{ webhook: 'hunter2' }, '/toolwire/webhook', /expected an object, got another string/],
    [{ webhook: { url: 'https://a.example', secret: 'hunter2' } }, '/toolwire/webhook/secret', /16 characters/],
    [{ webhook: { url: 'hunter2', secret: 'x'.repeat(20) } }, '/toolwire/webhook/url', /is not an address/],
    [{ webhook: { url: '${NONE}', secret: 'x' } }, '/toolwire/webhook/url', /is not set/],
    [{ callers: { oauth: {} } }, '/toolwire/callers/oauth', /missing required property "issuer"/],
    [{ callers: { oauth: { issuer: 'hunter2' } } }, '/toolwire/callers/oauth/issuer', /is not an address/],
    [
      { clients: { 'my-agent*': { schemas: 'hunter2' } } },
      '/toolwire/clients/my-agent*/schemas',
      /expected one of "plain" or "original"/,
    ],
    [{ clients: { 'my-agent*': { schema: 'plain' } } }, '/toolwire/clients/my-agent*/schema', /did you mean 'schemas'/],
    [{ allowedOrigins: ['https://app.example/x'] }, '/toolwire/allowedOrigins/0', /without a path/],
    [{ allowedOrigins: ['https://a.example', 'null'] }, '/toolwire/allowedOrigins/1', /without a path/],
    [{ allowedHosts: ['gate.example', 'gate.example:443'] }, '/toolwire/allowedHosts/1', /write gate\.example$/],
    [{ allowedHosts: ['münchen.example'] }, '/toolwire/allowedHosts/0', /write xn--mnchen-3ya\.example$/],
    [{ host: '0.0.0.0' }, '/toolwire/host', /open to everyone/],
    [{ import: ['cusror'] }, '/toolwire/import/0', /neither a path nor one of claude-desktop/],
    [[], '/toolwire', /expected an object/],
  ])('%j are refused with their path and line', async (toolwire, at, message) => {
    const error = await load(toolwire).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ConfigError', file: folder.at('mcp.json'), line: expect.any(Number) })
    const problems = (error as { problems: { at: string; message: string }[] }).problems
    expect(problems.find((one) => one.at === at)?.message).toMatch(message)
    expect(String(error)).not.toContain('hunter2')
  })

  it('have variables in tool arguments of any name, but not in the title and description of a tool', async () => {
    const tools = { t: { title: '${X}', description: '${X}', arguments: { title: '${X}', in: { description: '${X}' } } } }
    const { upstreams } = await folder.load(
      { mcpServers: { a: server }, toolwire: { servers: { a: { tools } } } },
      { env: { X: 'x' } },
    )
    expect(upstreams[0]?.tools.t).toEqual({
      title: '${X}',
      description: '${X}',
      arguments: { title: 'x', in: { description: 'x' } },
    })
  })

  it('are reported with their lines, all mistakes at once', async () => {
    const text = '{ // ours\n "toolwire": {\n  "prot": 1,\n  "guard": {\n   "pins": "no"\n  }\n }\n}'
    await expect(folder.load(text)).rejects.toMatchObject({ problems: [{ line: 5 }, { line: 3 }] })
  })

  it('never show the value of a variable, even if it is invalid', async () => {
    const env = { S: 'hunter2' }
    await expect(load({ webhook: { url: '${S}', secret: '${S}' } }, { env })).rejects.toThrow(/^(?!.*hunter2)/s)
    await expect(load({ callers: { oauth: { issuer: '${S}' } } }, { env })).rejects.toThrow(/^(?!.*hunter2)/s)
  })
})

describe('prefixes', () => {
  const two = (servers: object) => folder.load({ mcpServers: { a: server, b: server }, toolwire: { servers } })
  it('may be omitted for a single server', async () => {
    await expect(two({ a: { prefix: false } })).rejects.toThrow(
      /only a single server can have no prefix, and 2 servers are enabled/,
    )
    const { upstreams } = await two({ a: { prefix: false }, b: { disabled: true } })
    expect(upstreams.map(({ prefix }) => prefix)).toEqual([false, 'b'])
  })

  it('are unique', async () => {
    await expect(two({ a: { prefix: 'b' } })).rejects.toThrow(/the server a has the same prefix/)
    expect((await two({ a: { prefix: 'b' }, b: { prefix: 'a' } })).upstreams.map(({ prefix }) => prefix)).toEqual(['b', 'a'])
  })
})

describe('a setting outside the file', () => {
  const env = { TOOLWIRE_PORT: '5001', TOOLWIRE_DATA_DIR: 'env-data', TOOLWIRE_LOG_LEVEL: 'WARN' }
  it('has precedence: the command line, the environment, the file', async () => {
    const file = { port: 5002, dataDir: 'file-data', logLevel: 'error' }
    expect(await load(file, { env, flags: { port: '5000', logLevel: 'debug', dataDir: 'flag-data' } })).toMatchObject({
      port: 5000,
      logLevel: 'debug',
      dataDir: folder.at('flag-data'),
    })
    expect(await load(file, { env })).toMatchObject({ port: 5001, logLevel: 'warning', dataDir: folder.at('env-data') })
    expect(await load(file, { env: { TOOLWIRE_PORT: '' } })).toMatchObject({ port: 5002, logLevel: 'error' })
  })

  it('can be a key, and the address of Redis', async () => {
    const more = { TOOLWIRE_API_KEY: 'key-key-key', REDIS_URL: 'redis://r' }
    const config = await load({ host: '0.0.0.0' }, { env: more })
    expect(config).toMatchObject({
      apiKey: 'key-key-key',
      redisUrl: 'redis://r',
      callers: { loopback: false },
    })
  })

  it('can be the shared store; DATABASE_URL counts only if one of them says so', async () => {
    const [file, outer, other] = ['postgres://file/db', 'postgresql://outer/db', 'postgres://other/db']
    const of = async (store: string | undefined, given: Record<string, string>) =>
      (await load(store === undefined ? {} : { store }, { env: given })).store
    expect(await of(undefined, { DATABASE_URL: other })).toBeUndefined()
    expect(await of(file, { DATABASE_URL: other })).toBe(file)
    expect(await of(file, { TOOLWIRE_STORE: outer, DATABASE_URL: other })).toBe(outer)
    expect(await of('postgres', { DATABASE_URL: other })).toBe(other)
    expect(await of(file, { TOOLWIRE_STORE: 'postgres', DATABASE_URL: other })).toBe(other)
    expect(await of('postgres://u:${P}@file/db', { P: 'hunter2' })).toBe('postgres://u:hunter2@file/db')
    const config = await load({ store: 'postgres://u:${P}@file/db' }, { env: { P: 'hunter2hunter2' } })
    expect(JSON.stringify(describeConfig(config))).not.toContain('hunter2')
    expect(config.secrets.mask('at postgres://u:hunter2hunter2@file')).not.toContain('hunter2')
    const overTls = await load({ store: 'postgres://u@file/db?sslmode=require&password=hunter2' })
    expect(describeConfig(overTls).store).toBe('postgres://u@file/db?sslmode=require&password=•••')
    expect(overTls.secrets.mask('servers that require hunter2')).toBe('servers that require •••')
    expect(diffConfigs(config, { ...config, store: outer }).restart).toEqual(['store'])
  })

  it.each([
    [{ TOOLWIRE_PORT: 'x' }, {}, /^TOOLWIRE_PORT must be a number/],
    [{ TOOLWIRE_PORT: '65536' }, {}, /^TOOLWIRE_PORT must be a number/],
    [{ TOOLWIRE_PORT: '1e3' }, {}, /^TOOLWIRE_PORT must be a number/],
    [{}, { port: -1 }, /^--port must be a number/],
    [{ REDIS_URL: 'hunter2:6379' }, {}, /^REDIS_URL is not a Redis address; write redis:/],
    [{ TOOLWIRE_STORE: 'mysql://hunter2@db' }, {}, /^TOOLWIRE_STORE is not an address of PostgreSQL; write postgres:/],
    [{ TOOLWIRE_STORE: 'postgres' }, {}, /^TOOLWIRE_STORE says postgres, and DATABASE_URL is not set/],
    [{ TOOLWIRE_STORE: 'postgres', DATABASE_URL: 'file:hunter2' }, {}, /^DATABASE_URL is not an address of PostgreSQL/],
    [{ TOOLWIRE_LOG_LEVEL: 'loud' }, {}, /^TOOLWIRE_LOG_LEVEL must be one of debug/],
    [{ TOOLWIRE_SHUTDOWN_DELAY_MS: 'abc' }, {}, /^TOOLWIRE_SHUTDOWN_DELAY_MS must be a number of milliseconds/],
    [{ TOOLWIRE_SHUTDOWN_DELAY_MS: '-5' }, {}, /^TOOLWIRE_SHUTDOWN_DELAY_MS must be a number of milliseconds/],
    [{ TOOLWIRE_REPLICA_ADDRESS: 'https://foo/bar' }, {}, /^TOOLWIRE_REPLICA_ADDRESS is https:/],
    [{}, { port: 'abc' }, /^--port must be a number/],
    [{}, { logLevel: 'loud' }, /^--log-level must be one of/],
    [{}, { host: '0.0.0.0' }, /^--host 0\.0\.0\.0: the gateway would be open to everyone/],
  ])('is refused by its name, and no file is blamed: %j %j', async (given, flags, message) => {
    await expect(load({}, { env: given, flags })).rejects.toThrow(message)
  })
})

describe('the search for a config', () => {
  const places = ['mcp.json', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json', 'home/.config/toolwire/mcp.json']
  it('tries one place after the other', async () => {
    for (const place of [...places].reverse()) {
      await folder.write(place, { mcpServers: {} })
      expect((await loadConfig(folder.options())).source).toBe(folder.at(place))
    }
    const named = { TOOLWIRE_CONFIG: await folder.write('other.json', {}) }
    expect((await loadConfig(folder.options({ env: named }))).source).toBe(folder.at('other.json'))
    expect((await loadConfig(folder.options({ env: named, flags: { config: 'mcp.json' } }))).source).toBe(folder.at('mcp.json'))
    expect((await loadConfig(folder.options({ env: named, path: '.mcp.json' }))).source).toBe(folder.at('.mcp.json'))
  })

  it('uses the XDG folder of the user', async () => {
    await folder.write('xdg/toolwire/mcp.json', {})
    const env = { XDG_CONFIG_HOME: folder.at('xdg') }
    expect((await loadConfig(folder.options({ env }))).source).toBe(folder.at('xdg/toolwire/mcp.json'))
  })

  it('uses all other settings if it finds none', async () => {
    const config = await loadConfig(folder.options({ env: { TOOLWIRE_PORT: '5003' } }))
    expect(config).toMatchObject({ source: undefined, upstreams: [], files: [], port: 5003 })
  })

  it('fails if a named config is missing', async () => {
    await expect(loadConfig(folder.options({ env: { TOOLWIRE_CONFIG: 'none.json' } }))).rejects.toThrow(
      /none\.json: cannot be read/,
    )
  })
})
