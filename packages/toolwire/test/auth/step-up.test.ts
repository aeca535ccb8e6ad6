// Tools that need more scopes than the caller has: hidden, or a reason to request more.
import { describe, expect, it } from 'vitest'
import { apiKeys, createApiKey, memoryApiKeys, scopeHierarchy } from '../../src/auth/index.js'
import { readChallengeDemands } from '../../src/client/oauth/challenge.js'
import type { Caller } from '../../src/index.js'
import { bearer, call, names, post, say, serve, session, use } from './served.js'

const known: Readonly<Record<string, Caller>> = {
  none: { id: 'none', scopes: [] },
  reader: { id: 'reader', scopes: ['files:read'] },
  writer: { id: 'writer', scopes: ['files:read', 'files:write'] },
  all: { id: 'all', scopes: ['*'] },
  stranger: { id: 'anonymous', scopes: [], anonymous: true },
}

const serving = (stepUp?: 'hide' | 'challenge') =>
  serve((url) => ({
    resource: { url, authorizationServers: ['https://auth.example'], ...(stepUp && { stepUp }) },
    authenticate: ({ header }) => known[header('authorization')?.slice(7) ?? ''],
  }))

describe('a tool that needs more scopes', () => {
  it.each([undefined, 'hide'] as const)('looks as if it did not exist (%s)', async (stepUp) => {
    await using at = await serving(stepUp)
    expect(await names(at.url, bearer('none'))).toEqual(['who'])
    expect(await names(at.url, bearer('reader'))).toEqual(['who', 'read'])
    const facts = async (name: string) => {
      const { status, challenge, text } = await say(at.url, call(1, name, { where: 'here' }), bearer('none'))
      return [status, challenge, text.replaceAll(name, 'NAME')]
    }
    expect(await facts('publish')).toEqual(await facts('nothing'))
    expect(await facts('once')).toEqual(await facts('nothing'))
    // Earlier checks, for long tools or arguments in headers, must not reveal the tool either.
    expect(await facts('long')).toEqual(await facts('nothing'))
    // Repeated calls must not reveal its rate limit either.
    expect(await facts('once')).toEqual(await facts('nothing'))
  })

  it('is visible to callers who can step up, and to no others', async () => {
    await using at = await serving('challenge')
    expect(await names(at.url, bearer('none'))).toEqual(['who', 'read', 'publish', 'long', 'once'])
    expect(await names(at.url, bearer('stranger'))).toEqual(['who'])
    const refused = await use(at.url, 'publish', bearer('stranger'))
    const absent = await use(at.url, 'nothing', bearer('stranger'))
    expect([refused.status, refused.challenge, refused.error?.code]).toEqual([
      absent.status,
      absent.challenge,
      absent.error?.code,
    ])
  })

  it('AUTHS-007 is answered with one 403 that names all its scopes', async () => {
    await using at = await serving('challenge')
    for (const who of ['none', 'reader']) {
      const { status, challenge, error } = await use(at.url, 'publish', bearer(who))
      expect(status).toBe(403)
      expect(challenge).toMatch(/^Bearer resource_metadata="http/)
      expect(readChallengeDemands(challenge)).toEqual({
        error: 'insufficient_scope',
        scopes: ['files:read', 'files:write'],
        resourceMetadata: `${at.origin}/.well-known/oauth-protected-resource/mcp`,
        dpop: false,
      })
      expect(error?.message).toBe('publish requires the scopes files:read files:write')
    }
    expect((await use(at.url, 'publish', bearer('writer'))).status).toBe(200)
    expect((await use(at.url, 'publish', bearer('all'))).status).toBe(200)
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('is answered with a 403 in a session of %s, too', async (version) => {
    await using at = await serving('challenge')
    const headers = await session(at.url, version, bearer('reader'))
    const { status, challenge } = await post(at.url, call(1, 'publish'), headers)
    expect([status, readChallengeDemands(challenge).error]).toEqual([403, 'insufficient_scope'])
    expect((await post(at.url, call(2, 'read'), headers)).status).toBe(200)
  })

  it('is answered with a 403 even if it can only be called as a task', async () => {
    await using at = await serving('challenge')
    const headers = await session(at.url, '2025-11-25', bearer('reader'))
    for (const task of [undefined, { ttl: 1_000 }]) {
      const { status, challenge } = await post(at.url, call(1, 'long', { where: 'here' }, task && { task }), headers)
      expect([status, readChallengeDemands(challenge).scopes]).toEqual([403, ['files:write']])
    }
  })

  it('is not suggested by the answer to an unknown name', async () => {
    await using at = await serving('challenge')
    const { challenge, error } = await use(at.url, 'nothing', bearer('none'))
    expect([challenge, error?.message]).toEqual(['', 'Unknown tool: nothing'])
  })
})

describe('a broader scope', () => {
  it('AUTHS-012 includes its narrower scopes, directly and indirectly', async () => {
    const { key, record } = await createApiKey({ scopes: ['files:admin'] })
    const tree = { 'files:admin': ['files:write'], 'files:write': ['files:read'], 'files:read': ['files:read'] }
    await using at = await serve(() => ({ authenticate: scopeHierarchy(tree, apiKeys({ store: memoryApiKeys([record]) })) }))
    expect((await use(at.url, 'publish', bearer(key))).result?.content?.[0]?.text).toBe('published')
    expect(await names(at.url, bearer(key))).toEqual(['who', 'read', 'publish', 'long', 'once'])
  })

  it('includes no scope above it, and none that the hierarchy does not list', async () => {
    const { key, record } = await createApiKey({ scopes: ['files:read', 'toString'] })
    await using at = await serve(() => ({
      authenticate: scopeHierarchy({ 'files:write': ['files:read', 'constructor'] }, apiKeys({ store: memoryApiKeys([record]) })),
    }))
    expect(await names(at.url, bearer(key))).toEqual(['who', 'read'])
    expect((await use(at.url, 'who', bearer('tw_x'))).status).toBe(401)
  })

  it('may be part of a cycle, and still does not include everything', async () => {
    const caller = { id: 'x', scopes: ['a'] }
    const circle = scopeHierarchy({ a: ['b'], b: ['a'] }, () => caller)
    expect(await circle({ header: () => undefined, url: '/' })).toMatchObject({ scopes: ['a', 'b'] })
    expect(() => scopeHierarchy({ a: ['*'] }, () => caller)).toThrow(`scopeHierarchy: "a" cannot include '*'`)
  })
})
