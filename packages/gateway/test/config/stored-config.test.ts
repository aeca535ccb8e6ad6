// A config for the database may contain no secrets in plain text, in any place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import type { JsonObject } from 'toolwire'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.js'
import { refuseUnsharedParts } from '../../src/config/stored-config.js'

const server = (one: JsonObject, settings: JsonObject = {}) => ({
  mcpServers: { a: { command: 'x', ...one } },
  toolwire: { servers: { a: settings } },
})
const pinned = (value: JsonObject) => server({}, { tools: { t: { arguments: value } } })

it.each<[string, JsonObject]>([
  ['/mcpServers/a/args/1', server({ args: ['run', '--env=API_KEY=sk-live-1'] })],
  ['/mcpServers/a/args/0', server({ args: ['-e=API_KEY=sk-live-1'] })],
  ['/mcpServers/a/args/0', server({ args: ['--db=postgres://u:pw@h/db'] })],
  ['/mcpServers/a/args/0', server({ args: ['postgres://u:pw@h/${DB}'] })],
  ['/mcpServers/a/env/DATABASE_URL', server({ env: { DATABASE_URL: 'postgres://u:pw@h/db' } })],
  ['/toolwire/servers/a/tools/t/arguments/api_key', pinned({ api_key: 'sk-live-1' })],
  ['/toolwire/servers/a/tools/t/arguments/with/0/token', pinned({ with: [{ token: 'sk-live-1' }] })],
  ['/toolwire/servers/a/tools/t/arguments/tokens/0', pinned({ tokens: ['sk-live-1'] })],
  ['/mcpServers/a/env/PASSWORD', server({ env: { PASSWORD: '1234' } })],
  ['/mcpServers/a/env/PGPASSWORD', server({ env: { PGPASSWORD: 'pw' } })],
  ['/mcpServers/a/env/DB_PASS', server({ env: { DB_PASS: '000000' } })],
  ['/mcpServers/a/env/API_TOKEN', server({ env: { API_TOKEN: '${T:-abc}' } })],
  ['/mcpServers/a/args/1', server({ args: ['--password', 'pw'] })],
  ['/mcpServers/a/args/0', server({ args: ['--token=7'] })],
  ['/mcpServers/a/args/1', server({ args: ['-H', 'X-Api-Key: abc'] })],
  ['/mcpServers/a/headers/X-Api-Key', server({ type: 'http', url: 'https://a.example', headers: { 'X-Api-Key': 'abc' } })],
  ['/mcpServers/a/url', server({ type: 'http', url: 'https://a.example/?access_token=abc' })],
  ['/mcpServers/a/url', server({ type: 'http', url: 'https://u:pw@a.example/mcp' })],
  ['/toolwire/servers/a/auth/clientSecret', server({}, { auth: { clientSecret: 'abc' } })],
  ['/toolwire/servers/a/tools/t/arguments/password', pinned({ password: 1234 })],
  ['/toolwire/webhook/secret', { toolwire: { webhook: { secret: 'abc' } } }],
  ['/toolwire/webhook/url', { toolwire: { webhook: { url: 'https://u:pw@a.example' } } }],
  ['/mcpServers/a/env/URL', server({ env: { URL: '${URL:-https://u:pw@a.example}' } })],
])('a secret at %s is refused', (at, config) => {
  expect(() => refuseUnsharedParts(config)).toThrow(`${at}: is a secret in plain text`)
})

type Addressed = readonly [at: string, config: (address: string) => JsonObject]
const addressed: readonly Addressed[] = [
  ['/mcpServers/a/url', (url) => server({ type: 'http', url })],
  ['/mcpServers/a/args/1', (address) => server({ args: ['--from', address] })],
  ['/mcpServers/a/args/0', (address) => server({ args: [`--from=${address}`] })],
  ['/mcpServers/a/args/0', (address) => server({ args: [`--env=FROM=${address}`] })],
  ['/mcpServers/a/env/FROM', (address) => server({ env: { FROM: address } })],
  [
    '/mcpServers/a/headers/Referer',
    (address) => server({ type: 'http', url: 'https://a.example', headers: { Referer: address } }),
  ],
  ['/toolwire/servers/a/auth/issuer', (issuer) => server({}, { auth: { issuer } })],
  ['/toolwire/servers/a/tools/t/arguments/from/0', (address) => pinned({ from: [address] })],
  ['/toolwire/webhook/url', (url) => ({ toolwire: { webhook: { url } } })],
  ['/toolwire/witness/to', (to) => ({ toolwire: { witness: { to } } })],
  ...['issuer', 'url', 'jwks'].map(
    (name): Addressed => [
      `/toolwire/callers/oauth/${name}`,
      (address) => ({ toolwire: { callers: { oauth: { [name]: address } } } }),
    ],
  ),
]

it.each(addressed)('a secret among the parameters of an address at %s is refused', (at, config) => {
  for (const address of [
    ...['https://a.example/x?a=1&api_key=s3cr3t', 'https://a.example?token=${T:-s3cr3t}', 'https://${HOST}/?token=s3cr3t'],
    ...[
      '${FROM:-https://a.example/?token=s3cr3t}',
      `https://a.example/?to=${encodeURIComponent('https://b.example/?token=s3cr3t')}`,
    ],
  ])
    expect(() => refuseUnsharedParts(config(address)), address).toThrow(`${at}: is a secret in plain text`)
  for (const address of ['https://a.example/?token=${T}&page=1', 'https://${HOST}/a#?token=abcdef'])
    expect(() => refuseUnsharedParts(config(address)), address).not.toThrow()
})

it.each<JsonObject>([
  server({ args: ['--env=API_KEY=${KEY}', '--env=REGION=eu-central-1', 'postgres://u:${PW}@h/db', 'http://h:80/@x'] }),
  server({ env: { DATABASE_URL: 'postgres://u@h:5432/db?sslmode=require' } }),
  server({ env: { MONGODB_URI: 'mongodb://u@h/?authSource=accounts&authMechanism=SCRAM-SHA-256' } }),
  server({ env: { AUTH_MODE: 'none', MAX_TOKENS: '4096', REQUIRE_PASSWORD: 'true', API_KEY: '${KEY:-}', KEY_PREFIX: 'a:' } }),
  server({ type: 'http', url: 'https://a.example', headers: { Authorization: 'Bearer ${TOKEN}' } }),
  pinned({ api_key: '${KEY}', region: 'eu-central-1', tokens: 100_000 }),
])('other values are accepted: %j', (config) => {
  expect(() => refuseUnsharedParts(config)).not.toThrow()
})

it('values that only the replicas have are not checked at the push', async () => {
  const text = JSON.stringify({
    mcpServers: { a: { command: 'x', envFile: '/only/on/the/replicas.env' } },
    toolwire: {
      host: '${HOST_OF_REPLICA}',
      allowedOrigins: ['${APP_ORIGIN}'],
      webhook: { url: '${HOOK}', secret: '${SECRET}' },
      servers: { a: { prefix: '${PREFIX_OF_A_THAT_IS_LONGER_THAN_THE_LONGEST_ONE}' } },
    },
  })
  const load = (missing: 'keep' | 'refuse', env = {}) => loadConfig({ path: '/pushed/mcp.json', text, env, cwd: '/', missing })
  expect((await load('keep')).webhook?.secret).toBe('${SECRET}')
  await expect(load('refuse')).rejects.toThrow('is not set')
  const known = { HOST_OF_REPLICA: '127.0.0.1', APP_ORIGIN: 'https://app.example', HOOK: 'https://hook.example' }
  const more = { PREFIX_OF_A_THAT_IS_LONGER_THAN_THE_LONGEST_ONE: 'a' }
  await expect(load('keep', { ...known, ...more, SECRET: 'short' })).rejects.toThrow('needs at least 16 characters')
})
