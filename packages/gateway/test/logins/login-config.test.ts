// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
// Login settings in a config.
import { describe, expect, it } from 'vitest'
import { describeConfig } from '../../src/config/describe-config.js'
import { diffConfigs } from '../../src/config/diff-configs.js'
import { folderForEach } from '../config/config-folder.js'

const folder = folderForEach()
const shop = { type: 'http', url: 'https://shop.example/mcp' }
const load = (auth: unknown, server: object = shop, env = {}) =>
  folder.load({ mcpServers: { shop: server }, toolwire: { servers: { shop: { auth } } } }, { env })
const targetOf = async (...given: Parameters<typeof load>) => (await load(...given)).upstreams[0]?.target

describe('auth', () => {
  it.each([
    ['oauth', { perUser: false }],
    [{}, { perUser: false }],
    [{ type: 'oauth', perUser: true }, { perUser: true }],
    ['none', 'none'],
    [
      { clientId: 'us', clientSecret: '${SECRET}', issuer: 'https://login.example', scopes: ['a', 'b:c'] },
      {
        perUser: false,
        clientId: 'us',
        clientSecret: 'as-the-variable-says',
        issuer: 'https://login.example',
        scopes: ['a', 'b:c'],
      },
    ],
    [
      { clientId: 'us', clientSecret: '${NOT_SET:-}' },
      { perUser: false, clientId: 'us' },
    ],
  ])('%j is accepted', async (written, auth) => {
    expect(await targetOf(written, shop, { SECRET: 'as-the-variable-says' })).toEqual({
      kind: 'http',
      url: shop.url,
      headers: {},
      auth,
    })
  })

  it('is accepted for servers on this machine without https, too', async () => {
    for (const url of ['http://127.0.0.1:9/mcp', 'http://localhost/mcp', 'http://[::1]:9/sse'])
      expect(await targetOf('oauth', { url })).toMatchObject({ auth: { perUser: false } })
  })

  it.each([
    ['basic', shop, '/auth', 'expected'],
    [{ clientID: 'us' }, shop, '/auth', 'did you mean'],
    [{ type: 'none' }, shop, '/auth', 'expected'],
    [{ scopes: ['a b'] }, shop, '/auth', ''],
    [{ clientSecret: 'x' }, shop, '/auth/clientSecret', 'clientId'],
    [{ issuer: 'https://login.example' }, shop, '/auth/issuer', 'clientId'],
    [{ clientId: 'us', issuer: 'login.example' }, shop, '/auth/issuer', 'https://'],
    ['oauth', { url: 'http://shop.example/mcp' }, '/auth', 'https://'],
    ['oauth', { ...shop, headers: { authorization: 'Bearer x' } }, '/auth', 'Authorization header'],
    ['oauth', { command: 'node' }, '/auth', '`env`'],
  ])('%j is refused for %j', async (written, server, place, words) => {
    const refused = await load(written, server).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(words) })
    expect(JSON.stringify(refused) + String(refused)).toContain(place)
  })

  it('hides its secret in all outputs', async () => {
    const config = await load({ clientId: 'us', clientSecret: 'short' })
    expect(JSON.stringify(describeConfig(config), undefined, 2)).toContain('"clientSecret": "•••"')
    const longer = await load({ clientId: 'us', clientSecret: 'a secret of words' })
    expect(longer.secrets.mask('it says a secret of words')).toBe('it says •••')
  })

  it('reconnects the server when it changes', async () => {
    const [before, after] = [await load('oauth'), await load({ scopes: ['a'] })]
    expect(diffConfigs(before, after).changed).toEqual(['shop'])
  })
})
