// Challenges for callers without authorization, and the metadata that leads them to an authorization server.
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readChallengeDemands } from '../../src/client/oauth/challenge.js'
import { server } from '../../src/index.js'
import { listen, nodeHandler } from '../../src/node.js'
import type { ResourceOptions } from '../../src/transports/http/server/options.js'
import { app, bearer, call, post, type Said, say, serve, session, use } from './served.js'

const resource = (url: string, more: Partial<ResourceOptions> = {}): ResourceOptions => ({
  url,
  authorizationServers: ['https://auth.example'],
  ...more,
})

/** Accepts the token `good`, and gives the reason for refusing any other token. */
const guarded = (more: Partial<ResourceOptions> = {}, scopes: readonly string[] = []) =>
  serve((url) => ({
    resource: resource(url, more),
    authenticate: ({ header }) => {
      const said = header('authorization')
      if (said === 'Bearer good') return { id: 'ana', scopes }
      if (said === 'Bearer late') return { id: 'ana', scopes, expiresAt: Date.now() - 1 }
      if (said === 'Bearer odd') return { denied: 'invalid_request', description: 'Odd' }
      if (said === 'Bearer weak')
        return { denied: 'insufficient_scope', description: 'Weak', scopes: ['files:read', 'files:write'] }
      if (said === 'Bearer busy') return { denied: 'temporarily_unavailable', description: 'Busy', retryAfterMs: 1_500 }
      return undefined
    },
  }))

const document = async (address: string) => {
  const response = await fetch(address)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: response.ok ? await response.json() : undefined,
  }
}

describe('protected resource metadata', () => {
  it('AUTHS-003 AUTHS-005 is public at both well-known addresses', async () => {
    await using at = await guarded({ name: 'Files', documentation: 'https://files.example/docs' })
    for (const path of ['/mcp', '']) {
      const { status, type, body } = await document(`${at.origin}/.well-known/oauth-protected-resource${path}`)
      expect([status, type]).toEqual([200, 'application/json'])
      expect(body).toEqual({
        resource: at.url,
        authorization_servers: ['https://auth.example'],
        scopes_supported: ['files:read', 'files:write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Files',
        resource_documentation: 'https://files.example/docs',
      })
    }
  })

  it('AUTHS-003 needs at least one authorization server, or the server does not start', async () => {
    const authenticate = () => undefined
    const start = (more: Partial<ResourceOptions>) =>
      listen(app(), { authenticate, resource: resource('https://files.example/mcp', more), signals: false })
    await expect(start({ authorizationServers: [] })).rejects.toThrow(/at least one issuer/)
    await expect(start({ authorizationServers: ['http://auth.example'] })).rejects.toThrow(/https/)
    await expect(start({ url: 'http://files.example/mcp' })).rejects.toThrow(/https/)
    await expect(start({ url: 'https://files.example/mcp#x' })).rejects.toThrow(/fragment/)
    await expect(listen(app(), { resource: resource('https://files.example'), signals: false })).rejects.toThrow(/authenticate/)
  })

  it('AUTHS-013 never names offline_access, nor does a challenge', async () => {
    await using at = await guarded({ scopes: ['files:read', 'offline_access'] })
    const { body } = await document(`${at.origin}/.well-known/oauth-protected-resource`)
    expect(body.scopes_supported).toEqual(['files:read'])
    expect(readChallengeDemands((await use(at.url, 'who')).challenge).scopes).toEqual(['files:read'])
  })

  it('follows the tools as they are added and removed', async () => {
    const changing = app()
    const { url, close } = await listen(changing, {
      authenticate: () => undefined,
      resource: resource('https://x.example/mcp'),
      signals: false,
    })
    const scopes = async () =>
      (await document(`${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`)).body.scopes_supported
    expect(await scopes()).toEqual(['files:read', 'files:write'])
    for (const name of ['publish', 'long', 'once']) changing.tools.remove(name)
    expect(await scopes()).toEqual(['files:read'])
    await close()
  })

  it('is also served by a bare handler and by app.fetch, and is read-only', async () => {
    const options = { authenticate: () => undefined, resource: resource('https://files.example/mcp') }
    const served = server({ name: 'files', version: '1.0.0', http: { ...options, hosts: ['files.example'] } })
    const address = 'https://files.example/.well-known/oauth-protected-resource/mcp'
    expect((await served.fetch(new Request(address))).status).toBe(200)
    expect((await served.fetch(new Request(address, { method: 'POST' }))).status).toBe(405)
    expect((await served.fetch(new Request(`${address}/more`))).status).toBe(401)
    expect(nodeHandler(served, options)).toBeTypeOf('function')
  })

  it('is refused to web pages of other origins', async () => {
    await using at = await guarded()
    const response = await fetch(`${at.origin}/.well-known/oauth-protected-resource`, {
      headers: { origin: 'https://evil.example' },
    })
    expect(response.status).toBe(403)
  })

  it('AUTHS-001 exists only with authorization; without it every caller is served', async () => {
    await using open = await serve(() => ({}))
    expect((await use(open.url, 'who')).result?.content?.[0]?.text).toBe('anonymous []')
    expect((await document(`${open.origin}/.well-known/oauth-protected-resource`)).status).toBe(404)
    await using at = await guarded()
    expect((await use(at.url, 'who')).status).toBe(401)
    expect((await use(at.url, 'who', bearer('good'))).status).toBe(200)
  })

  it('AUTHS-016 is served beside the metadata of the authorization server, for clients of 2025-03-26', async () => {
    const authorizationServerMetadata = { issuer: 'https://auth.example', token_endpoint: 'https://auth.example/token' }
    await using at = await guarded({ authorizationServerMetadata })
    const { status, body } = await document(`${at.origin}/.well-known/oauth-authorization-server`)
    expect([status, body]).toEqual([200, authorizationServerMetadata])
    await using without = await guarded()
    expect((await document(`${without.origin}/.well-known/oauth-authorization-server`)).status).toBe(404)
  })
})

describe('a caller without authorization', () => {
  it('AUTHS-004 AUTHS-005 AUTHS-006 is told where to get a token, and for which scopes', async () => {
    await using at = await guarded()
    const metadata = `${at.origin}/.well-known/oauth-protected-resource/mcp`
    const { status, challenge } = await use(at.url, 'who')
    expect(status).toBe(401)
    expect(challenge).toBe(`Bearer resource_metadata="${metadata}", scope="files:read files:write"`)
    expect((await document(metadata)).body.resource).toBe(at.url)
  })

  it.each([
    ['good', 200, undefined],
    ['unknown', 401, 'invalid_token'],
    ['late', 401, 'invalid_token'],
    ['odd', 400, 'invalid_request'],
    ['weak', 403, 'insufficient_scope'],
  ])('AUTHS-014 with the token %s is answered with %i and error %s', async (token, status, error) => {
    await using at = await guarded()
    const said = await use(at.url, 'who', bearer(token))
    expect([said.status, readChallengeDemands(said.challenge).error]).toEqual([status, error])
  })

  it('AUTHS-007 is told all the accepted scopes at once', async () => {
    await using at = await guarded()
    const asked = readChallengeDemands((await use(at.url, 'who', bearer('weak'))).challenge)
    expect(asked).toMatchObject({ error: 'insufficient_scope', scopes: ['files:read', 'files:write'] })
    expect(asked.resourceMetadata).toContain('/.well-known/oauth-protected-resource/mcp')
  })

  it('is told when to retry if no credentials can be checked now', async () => {
    await using at = await guarded()
    const { status, header, challenge } = await use(at.url, 'who', bearer('busy'))
    expect([status, header('retry-after'), challenge]).toEqual([503, '2', ''])
  })

  it('AUTHS-010 cannot use a token in the URL, even beside a valid one', async () => {
    await using at = await guarded()
    for (const query of ['access_token=good', 'x=1&access_token=good', 'access%5Ftoken=good', 'access_token'])
      for (const headers of [undefined, bearer('good')]) {
        const { status, text, challenge } = await use(`${at.url}?${query}`, 'who', headers)
        expect([status, readChallengeDemands(challenge).error]).toEqual([401, 'invalid_token'])
        expect(text + challenge).not.toContain('good')
      }
  })

  it('AUTHS-017 learns nothing about tools: every request gets the same answer', async () => {
    await using at = await guarded()
    const asked = [
      call(1, 'who'),
      call(1, 'read'),
      call(1, 'never-there'),
      call(1, 'who', { surplus: true }),
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'no/such' },
    ]
    const answers: Said[] = []
    for (const message of asked) answers.push(await say(at.url, message), await post(at.url, message))
    answers.push(await post(at.url, { not: 'a message' }))
    expect(new Set(answers.map(({ status, text, challenge }) => `${status} ${text} ${challenge}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(401)
    expect(at.contexts).toEqual([])
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('AUTHS-011 is not let in by a session of %s either', async (version) => {
    await using at = await guarded()
    const headers = await session(at.url, version, bearer('good'))
    expect((await post(at.url, call(1, 'who'), headers)).status).toBe(200)
    const { authorization, ...without } = headers
    expect(authorization).toBeDefined()
    expect((await post(at.url, call(2, 'who'), without)).status).toBe(401)
    expect((await post(at.url, call(3, 'who'), { ...without, ...bearer('late') })).status).toBe(401)
    const stream = await fetch(at.url, { headers: { ...without, accept: 'text/event-stream' } })
    expect(stream.status).toBe(401)
    expect((await fetch(at.url, { method: 'DELETE', headers: without })).status).toBe(401)
  })

  it.each([
    ['Bearer', 400],
    ['Bearer ', 400],
    ['Bearer a b', 400],
    ['Bearer  good', 400],
    ['Bearer good, Bearer good', 400],
    ['Bearer "good"', 400],
    ['Bearer gööd', 400],
    [`Bearer ${'x'.repeat(9_000)}`, 401],
    [`Bearer ${'x'.repeat(17_000)}`, 431],
    ['Basic Z29vZA==', 401],
    ['DPoP good', 401],
  ])('with the header %.30s gets %i', async (authorization, status) => {
    const { bearerJwt } = await import('../../src/auth/index.js')
    await using at = await serve((url) => ({ authenticate: bearerJwt({ issuer: 'https://auth.example', resource: url }) }))
    expect(await raw(at.url, authorization)).toBe(status)
  })

  it('cannot inject anything into the header by a scope or a description', async () => {
    await using at = await serve((url) => ({
      resource: resource(url, { scopes: ['a', 'b" error="x', 'c\r\nd', 'é'] }),
      authenticate: () => ({ denied: 'invalid_token', description: 'It "says"\r\nset-cookie: a=b \\' }),
    }))
    const { challenge, header } = await use(at.url, 'who', bearer('x'))
    expect(readChallengeDemands(challenge).scopes).toEqual(['a'])
    expect(challenge.endsWith('error_description="It saysset-cookie: a=b "')).toBe(true)
    expect(header('set-cookie')).toBeNull()
  })
})

/** Sends the header unchanged, which a better client would refuse. */
function raw(url: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: Buffer.from(authorization).toString('latin1') }
    const asked = request(url, { method: 'POST', headers })
    asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
    asked.end('{}')
  })
}
