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

  it('AUTHC-021 of a challenge are requested even if no list has them', async () => {
    await using at = await setting(
      { metadata: (own) => ({ ...own, scopes_supported: ['x'] }) },
      { challenge: () => 'Bearer scope="unlisted"', metadata: (own) => ({ ...own, scopes_supported: ['listed'] }) },
    )
    await call(person(), at.server.url)
    expect(asked(at.as)).toEqual(['unlisted'])
  })

  it('of the caller are requested, too', async () => {
    await using at = await setting({}, { challenge: () => 'Bearer scope="a"' })
    await call(person({ scopes: ['mine'] }), at.server.url)
    expect(asked(at.as)).toEqual(['a mine'])
  })

  it.each([
    [true, ['offline_access'], 'a offline_access'],
    [true, ['a'], 'a'],
    [true, undefined, 'a'],
    [false, ['offline_access'], 'a'],
  ])('AUTHC-026 include offline_access: wanted %s, listed %j', async (offlineAccess, listed, expected) => {
    await using at = await setting(
      { metadata: (own) => ({ ...own, scopes_supported: listed }) },
      { metadata: (own) => ({ ...own, scopes_supported: ['a', 'offline_access'] }) },
    )
    await call(person({ offlineAccess }), at.server.url)
    expect(asked(at.as)).toEqual([expected])
  })
})

describe('stepping up', () => {
  it('AUTHC-023 requests the earlier scopes as well', async () => {
    await using at = await setting({}, { challenge: () => 'Bearer scope="read"' })
    const credentials = person()
    await call(credentials, at.server.url)
    const [old] = at.server.seen.at(-1)!.headers.authorization!.split(' ').slice(1)
    at.server.script.refuse = (token) => (token === old ? needs('write') : undefined)
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(asked(at.as)).toEqual(['read', 'read write'])
  })

  it('AUTHC-022 ends if the server is never satisfied', async () => {
    await using at = await setting({}, { refuse: () => needs('admin') })
    const credentials = person()
    expect(await call(credentials, at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(3)
    // The next call of the same operation does not ask the person again.
    expect(await call(credentials, at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(3)
  })

  it('AUTHC-022 ends if every challenge differs', async () => {
    let count = 0
    await using at = await setting({}, { refuse: () => needs(`s${++count}`) })
    expect(await call(person(), at.server.url, { tries: 50 })).toBe(403)
    expect(at.as.authorizations().length).toBeLessThanOrEqual(6)
  })

  it('happens only for missing scopes', async () => {
    await using at = await setting(
      {},
      { refuse: () => ({ status: 403, headers: { 'www-authenticate': 'Bearer error="other"' } }) },
    )
    expect(await call(person(), at.server.url)).toBe(403)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('is limited for each operation', async () => {
    await using at = await setting({}, { refuse: () => needs('admin') })
    const credentials = person()
    await call(credentials, at.server.url)
    await call(credentials, at.server.url, { method: 'resources/read' })
    expect(at.as.authorizations()).toHaveLength(5)
  })
})
