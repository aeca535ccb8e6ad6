import { describe, expect, it } from 'vitest'
import { clientCredentials } from '../../../src/client/oauth/index.js'
import { authority, wellKnown } from './authority.js'
import { call, thrownBy } from './call.js'
import { guarded } from './guarded.js'
import { person, setting } from './setting.js'
import { type Answer, web } from './web.js'

const atServer = (seen: { path: string }[]) => seen.map(({ path }) => path).filter((path) => path !== '/mcp')

describe('resource metadata', () => {
  it('AUTHC-002 is fetched from the URL in the challenge, and nowhere else', async () => {
    await using at = await setting(
      {},
      {
        metadataAt: '/elsewhere.json',
        challenge: (origin) => `Basic realm="old", BEARER error="invalid_token", Resource_Metadata="${origin}/elsewhere.json"`,
      },
    )
    expect(await call(person(), at.server.url)).toBe(200)
    expect(atServer(at.server.seen)).toEqual(['/elsewhere.json'])
  })

  it('AUTHC-002 is fetched from the path, then from the root', async () => {
    await using at = await setting(
      {},
      {
        metadataAt: '/.well-known/oauth-protected-resource',
        metadata: (own) => ({ ...own, resource: new URL(String(own.resource)).origin }),
      },
    )
    expect(await call(person(), at.server.url)).toBe(200)
    expect(atServer(at.server.seen)).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ])
  })

  it('AUTHC-001 names the authorization server, which the challenge does not', async () => {
    await using at = await setting({}, { challenge: () => undefined })
    expect(await call(person(), at.server.url)).toBe(200)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('is refused if it is about another server', async () => {
    await using at = await setting({}, { metadata: (own) => ({ ...own, resource: 'https://evil.example/mcp' }) })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'wrong_resource' })
    expect(at.as.seen).toEqual([])
  })

  it.each([
    503, 500, 429, 408,
  ])('that is temporarily unavailable does not make the server its own authorization server: %i', async (status) => {
    const failures = [{ status }]
    await using at = await setting({}, { failMetadata: () => failures.pop() })
    const credentials = clientCredentials({ clientId: 'job', clientSecret: 'hush' })
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'unreachable' })
    expect(atServer(at.server.seen)).toEqual(['/.well-known/oauth-protected-resource/mcp'])
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.as.redemptions()).toHaveLength(1)
  })

  it('is required if the challenge names it', async () => {
    await using at = await setting({}, { challenge: (origin) => `Bearer resource_metadata="${origin}/gone"` })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'no_metadata' })
  })
})

describe('authorization server metadata', () => {
  const openIdInserted = (path: string) => `/.well-known/openid-configuration${path}`
  const openIdAppended = (path: string) => `${path}/.well-known/openid-configuration`
  const notFlow = ({ path }: { path: string }) => path.includes('.well-known')

  it.each([
    ['/tenant1', [wellKnown('/tenant1')]],
    ['/tenant1', [wellKnown('/tenant1'), openIdInserted('/tenant1')]],
    ['/tenant1', [wellKnown('/tenant1'), openIdInserted('/tenant1'), openIdAppended('/tenant1')]],
    ['', [wellKnown('')]],
    ['', [wellKnown(''), openIdInserted('')]],
  ])('AUTHC-003 of an issuer with the path "%s" is fetched from %j', async (path, expected) => {
    await using at = await setting({ path, metadataAt: () => expected.at(-1)! })
    expect(await call(person(), at.server.url)).toBe(200)
    expect(at.as.seen.filter(notFlow).map((asked) => asked.path)).toEqual(expected)
  })

  it.each(['', '/tenant1'])('AUTHC-003 is fetched from no other URLs, with the path "%s"', async (path) => {
    await using at = await setting({ path, metadata: () => undefined })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'no_metadata' })
    const root = [wellKnown(path), openIdInserted(path)]
    expect(at.as.seen.map((asked) => asked.path)).toEqual(path === '' ? root : [...root, openIdAppended(path)])
  })

  it.each([
    ['of another issuer', () => 'https://honest.example'],
    ['with a slash too many', (issuer: string) => `${issuer}/`],
    ['in upper case', (issuer: string) => issuer.replace('http:', 'HTTP:')],
    ['without an issuer', () => undefined],
  ])('AUTHC-004 %s is refused', async (_what, change) => {
    await using at = await setting({ metadata: (own) => ({ ...own, issuer: change(String(own.issuer)) }) })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'wrong_issuer' })
    expect(at.as.seen.map(({ path }) => path)).toEqual([wellKnown('')])
  })

  it.each([undefined, [], ['plain']])('AUTHC-006 is refused if the PKCE methods are %j', async (methods) => {
    await using at = await setting({ metadata: (own) => ({ ...own, code_challenge_methods_supported: methods }) })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'no_pkce' })
    expect(at.as.authorizations()).toEqual([])
    expect(at.as.redemptions()).toEqual([])
  })

  it.each([
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
  ])('AUTHC-030 refuses http for the %s', async (name) => {
    await using at = await setting({ metadata: (own) => ({ ...own, [name]: 'http://as.example/x' }) })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'forbidden_address' })
    expect(at.as.redemptions()).toEqual([])
  })

  it('AUTHC-030 refuses an issuer with http', async () => {
    await using at = await setting({}, { issuers: () => ['http://as.example'] })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'forbidden_address' })
  })

  it('is used for the one authorization server, of several, that the credentials are for', async () => {
    await using first = await authority()
    await using second = await authority()
    await using server = await guarded({ issuers: () => [first.issuer, second.issuer] })
    expect(await call(person({ client: { clientId: 'ours', issuer: second.issuer } }), server.url)).toBe(200)
    expect(first.seen).toEqual([])
    expect(second.authorizations()[0]?.get('client_id')).toBe('ours')
  })
})

describe('servers without resource metadata', () => {
  const metadata = (origin: string) => ({
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
  })

  async function old(hasMetadata: boolean) {
    const under = hasMetadata ? '/oauth' : ''
    return web((origin) => ({ path, headers, query }): Answer => {
      if (path === '/deep/mcp') return { status: headers.authorization === 'Bearer t' ? 200 : 401 }
      if (path === wellKnown('') && hasMetadata) return { status: 200, body: JSON.stringify(metadata(origin)) }
      if (path === `${under}/register`) return { status: 201, body: '{"client_id":"c"}' }
      if (path === `${under}/token`)
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: '{"access_token":"t","token_type":"bearer"}',
        }
      if (path !== `${under}/authorize`) return { status: 404 }
      return { status: 302, headers: { location: `${query.get('redirect_uri')}?code=c&state=${query.get('state')}` } }
    })
  }

  it('AUTHC-029 are their own authorization servers, with metadata at the root of their origin', async () => {
    await using server = await old(true)
    expect(await call(person(), `${server.origin}/deep/mcp`)).toBe(200)
    expect(server.at('/oauth/token')).toHaveLength(1)
    expect(server.seen.map(({ path }) => path)).not.toContain(wellKnown('/deep/mcp'))
  })

  it('AUTHC-029 have default endpoints if they have no metadata', async () => {
    await using server = await old(false)
    expect(await call(person(), `${server.origin}/deep/mcp`)).toBe(200)
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/deep/mcp',
      '/.well-known/oauth-protected-resource/deep/mcp',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
      '/register',
      '/authorize',
      '/token',
      '/deep/mcp',
    ])
    expect(server.at('/authorize')[0]?.query.get('code_challenge_method')).toBe('S256')
  })
})
