import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { proxyHeader } from '../../src/auth/index.js'
import type { ProxyHeaderOptions } from '../../src/auth/proxy-header.js'
import { serve, use } from './served.js'

const found = (remote: string | undefined, more: Partial<ProxyHeaderOptions> = {}, user = 'ana', scopes = 'a b *') =>
  proxyHeader({ header: 'X-User', trustedPeers: ['10.1.0.0/16', '192.0.2.7', 'fd00::/8'], ...more })({
    header: (name) => ({ 'x-user': user, 'x-scopes': scopes })[name],
    url: '/mcp',
    remote,
  })

describe('the user header of a proxy', () => {
  it.each([
    '10.1.0.1',
    '10.1.255.255',
    '192.0.2.7',
    '::ffff:10.1.2.3',
    '::FFFF:10.1.2.3',
    'fd00::1',
  ])('is trusted from %s', (remote) => expect(found(remote)).toEqual({ id: 'proxy:ana', scopes: [] }))

  it.each([
    '10.2.0.1',
    '192.0.2.8',
    '127.0.0.1',
    '::1',
    '::ffff:10.2.0.1',
    'fe80::1',
    '',
    'localhost',
    undefined,
  ])('is not trusted from %s', (remote) => expect(found(remote)).toBeUndefined())

  it.each(['ana, root', 'ana,root', 'ana\troot', 'a\u0000', 'ünn', 'x'.repeat(257)])('is refused if it contains %j', (user) =>
    expect(found('10.1.0.1', {}, user)).toMatchObject({ denied: 'invalid_request' }))

  it('carries scopes if configured, but never all scopes', () => {
    expect(found('10.1.0.1', { scopesHeader: 'X-Scopes', scopes: ['c'] })).toEqual({ id: 'proxy:ana', scopes: ['c', 'a', 'b'] })
    expect(found('10.1.0.1')).toMatchObject({ scopes: [] })
  })

  it.each(['admin, read', 'admin,', ',read'])('is refused with the scopes %j, which may come from two headers', (scopes) => {
    expect(found('10.1.0.1', { scopesHeader: 'X-Scopes' }, 'ana', scopes)).toMatchObject({ denied: 'invalid_request' })
    expect(found('10.1.0.1', {}, 'ana', scopes)).toMatchObject({ scopes: [] })
  })

  it.each([
    [],
    ['localhost'],
    ['10.0.0.0/33'],
    ['0.0.0.0/0'],
    ['10.0.0.0/'],
    ['10.0.0.0/8/8'],
    ['*'],
  ])('cannot be configured for the peers %j', (...peers) =>
    expect(() => proxyHeader({ header: 'x', trustedPeers: peers })).toThrow(/proxyHeader/))

  it('is trusted by the address of the connection, whatever other headers say', async () => {
    await using far = await serve(() => ({ authenticate: proxyHeader({ header: 'x-user', trustedPeers: ['10.0.0.1'] }) }))
    await using near = await serve(() => ({ authenticate: proxyHeader({ header: 'x-user', trustedPeers: ['127.0.0.1'] }) }))
    const headers = { 'x-user': 'ana', 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1', forwarded: 'for=10.0.0.1' }
    expect((await use(far.url, 'who', headers)).status).toBe(401)
    expect((await use(near.url, 'who', headers)).result?.content?.[0]?.text).toBe('proxy:ana []')
  })

  it.each([
    { 'x-user': ['root', 'ana'] },
    { 'x-user': 'ana', 'x-scopes': ['admin x', 'read'] },
  ])('is not taken from a second header that the client has sent (%j)', async (sent) => {
    const options = { header: 'x-user', trustedPeers: ['127.0.0.1'], scopesHeader: 'x-scopes' }
    await using at = await serve(() => ({ authenticate: proxyHeader(options) }))
    const status = await new Promise((resolve, reject) => {
      const asked = request(at.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sent },
      })
      asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      asked.end('{}')
    })
    expect(status).toBe(400)
  })
})
