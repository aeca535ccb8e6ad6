import { describe, expect, it } from 'vitest'
import { anyOf, apiKeys, bearerJwt, createApiKey, introspection, memoryApiKeys, proxyHeader } from '../../src/auth/index.js'
import { json } from '../client/oauth/web.js'
import { issuer } from './issuer.js'
import { bearer, serve, use, who } from './served.js'

describe('several authentication methods', () => {
  it('each accept their own credentials, which later methods never see', async () => {
    await using first = await issuer()
    await using second = await issuer()
    await using opaque = await issuer({
      introspect: (form) => json({ active: form.get('token') === 'opaque', sub: 'cleo', aud: 'us' }),
    })
    const { key, record } = await createApiKey({ caller: 'report', scopes: [] })
    const resource = 'us'
    await using at = await serve(() => ({
      authenticate: anyOf(
        proxyHeader({ header: 'x-user', trustedPeers: ['10.0.0.1'] }),
        apiKeys({ store: memoryApiKeys([record]) }),
        bearerJwt({ issuer: first.url, resource }),
        bearerJwt({ issuer: second.url, resource }),
        introspection({ issuer: opaque.url, resource, endpoint: `${opaque.url}/introspect`, clientId: 'x', clientSecret: 'y' }),
      ),
    }))
    expect(await who(at.url, key)).toBe('report []')
    expect(await who(at.url, await first.token(resource, { sub: 'ana' }))).toBe(`${first.url} ana []`)
    expect(await who(at.url, await second.token(resource, { sub: 'ana' }))).toBe(`${second.url} ana []`)
    expect(opaque.at('/introspect')).toEqual([])
    expect(await who(at.url, 'opaque')).toBe(`${opaque.url} cleo []`)
    for (const bad of [`${key.slice(0, -2)}AA`, await first.token(resource, { exp: 1 }), await second.token('them')])
      expect((await use(at.url, 'who', bearer(bad))).status).toBe(401)
    expect(opaque.at('/introspect')).toHaveLength(1)
    expect((await use(at.url, 'who', { 'x-user': 'root' })).status).toBe(401)
  })

  it('refuse a token that one issuer signed in the name of another', async () => {
    await using first = await issuer()
    await using second = await issuer()
    await using at = await serve((resource) => ({
      authenticate: anyOf(bearerJwt({ issuer: first.url, resource }), bearerJwt({ issuer: second.url, resource })),
    }))
    expect((await use(at.url, 'who', bearer(await first.token(at.url, { iss: second.url })))).status).toBe(401)
    expect(
      (await use(at.url, 'who', bearer(await second.token(at.url, { iss: first.url }, { kid: (await first.signer()).kid }))))
        .status,
    ).toBe(401)
  })

  it('refuse every caller if one method fails', async () => {
    const broken = () => Promise.reject(new Error('the store is down'))
    await using at = await serve(() => ({ authenticate: anyOf(broken, () => ({ id: 'anyone', scopes: ['*'] })) }))
    expect((await use(at.url, 'who', bearer('x'))).status).toBe(500)
  })
})
