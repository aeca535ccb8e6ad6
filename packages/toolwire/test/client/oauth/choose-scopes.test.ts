import { describe, expect, it } from 'vitest'
import type { Authority } from './authority.js'
import { call } from './call.js'
import { needs } from './guarded.js'
import { person, setting } from './setting.js'

const asked = (as: Authority) => as.authorizations().map((query) => query.get('scope'))

describe('scopes', () => {
  it.each([
    ['those of the challenge', 'Bearer scope="a b"', ['c'], 'a b'],
    ['those of the metadata where the challenge has none', 'Bearer', ['c', 'd'], 'c d'],
    ['none where neither has any', 'Bearer', undefined, null],
    ['none where there is an empty list', 'Bearer scope=""', [], null],
  ])('AUTHC-020 are %s', async (_which, challenge, supported, expected) => {
    await using at = await setting(
      {},
      {
        challenge: () => challenge,
        metadata: (own) => ({ ...own, scopes_supported: supported }),
      },
    )
    await call(person(), at.server.url)
    expect(asked(at.as)).toEqual([expected])
  })

  it('AUTHC-021 of a challenge are asked for though no list has them', async () => {
    await using at = await setting(
      { metadata: (own) => ({ ...own, scopes_supported: ['x'] }) },
      { challenge: () => 'Bearer scope="unlisted"', metadata: (own) => ({ ...own, scopes_supported: ['listed'] }) },
    )
    await call(person(), at.server.url)
    expect(asked(at.as)).toEqual(['unlisted'])
  })

  it('of the caller are asked for too', async () => {
    await using at = await setting({}, { challenge: () => 'Bearer scope="a"' })
    await call(person({ scopes: ['mine'] }), at.server.url)
    expect(asked(at.as)).toEqual(['a mine'])
  })

  it.each([
    [true, ['offline_access'], 'a offline_access'],
    [true, ['a'], 'a'],
    [true, undefined, 'a'],
    [false, ['offline_access'], 'a'],
  ])('AUTHC-026 have offline_access: wanted %s, listed %j', async (offlineAccess, listed, expected) => {
    await using at = await setting(
      { metadata: (own) => ({ ...own, scopes_supported: listed }) },
      { metadata: (own) => ({ ...own, scopes_supported: ['a', 'offline_access'] }) },
    )
    await call(person({ offlineAccess }), at.server.url)
    expect(asked(at.as)).toEqual([expected])
  })
})

describe('stepping up', () => {
  it('AUTHC-023 asks for the scopes from before as well', async () => {
    await using at = await setting({}, { challenge: () => 'Bearer scope="read"' })
    const credentials = person()
    await call(credentials, at.server.url)
    const [old] = at.server.seen.at(-1)!.headers.authorization!.split(' ').slice(1)
    at.server.script.refuse = (token) => (token === old ? needs('write') : undefined)
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(asked(at.as)).toEqual(['read', 'read write'])
  })

  it('AUTHC-022 comes to an end with a server that is never content', async () => {
    await using at = await setting({}, { refuse: () => needs('admin') })
    const credentials = person()
    expect(await call(credentials, at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(3)
    // And it stays at that: the next call of the same operation does not bother anyone.
    expect(await call(credentials, at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(3)
  })

  it('AUTHC-022 comes to an end where each challenge is another one', async () => {
    let count = 0
    await using at = await setting({}, { refuse: () => needs(`s${++count}`) })
    expect(await call(person(), at.server.url, { tries: 50 })).toBe(403)
    expect(at.as.authorizations().length).toBeLessThanOrEqual(6)
  })

  it('is for missing scopes only', async () => {
    await using at = await setting(
      {},
      { refuse: () => ({ status: 403, headers: { 'www-authenticate': 'Bearer error="other"' } }) },
    )
    expect(await call(person(), at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('is counted for each operation', async () => {
    await using at = await setting({}, { refuse: () => needs('admin') })
    const credentials = person()
    await call(credentials, at.server.url)
    await call(credentials, at.server.url, { method: 'resources/read' })
    expect(at.as.authorizations()).toHaveLength(5)
  })
})
