import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sameInConstantTime } from '../../src/auth/fingerprint.js'
import { type ApiKeyRecord, apiKeys, createApiKey, memoryApiKeys } from '../../src/auth/index.js'
import { bearer, serve, use, who } from './served.js'

const holding = (...records: ApiKeyRecord[]) =>
  serve(() => ({ authenticate: apiKeys({ store: memoryApiKeys(records), header: 'X-Api-Key' }) }))

describe('An authenticated caller', () => {
  it.each<[string, object]>([
    ['without an id', { id: '', scopes: [] }],
    ...['2020-01-01', '2999-01-01', Number.NaN, null, new Date(0)].map((expiresAt): [string, object] => [
      `whose credentials expire at ${expiresAt}`,
      { id: 'ann', scopes: [], expiresAt },
    ]),
  ])('%s is refused', async (_, found) => {
    await using at = await serve(() => ({ authenticate: () => found as never })) // as a program in JavaScript returns it
    expect((await use(at.url, 'who')).status).toBe(500)
    await using later = await serve(() => ({ authenticate: async () => found as never }))
    expect((await use(later.url, 'who')).status).toBe(500)
  })
})

describe('API keys', () => {
  it('have 256 random bits behind an id, and only their hash is stored', async () => {
    const made = await Promise.all(Array.from({ length: 200 }, () => createApiKey({ scopes: ['a'] })))
    for (const { key, record } of made) {
      expect(key).toMatch(/^tw_[0-9a-f]{16}_[\w-]{43}$/)
      expect(Buffer.from(key.slice(20), 'base64url')).toHaveLength(32)
      expect(record.hash).toMatch(/^[0-9a-f]{64}$/)
      expect(JSON.stringify(record)).not.toContain(key.slice(20))
    }
    expect(new Set(made.map(({ key }) => key.slice(20))).size).toBe(200)
  })

  it('are accepted in either header', async () => {
    const { key, record } = await createApiKey({ caller: 'report', scopes: ['files:read', '*'] })
    await using at = await holding(record)
    expect(await who(at.url, key)).toBe('report [files:read *]')
    expect((await use(at.url, 'publish', { 'x-api-key': key })).result?.content?.[0]?.text).toBe('published')
  })

  it.each<[string, (key: string) => string]>([
    ['in its last character', (key) => `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`],
    ['in the first character of the secret', (key) => `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`],
    ['in its id', (key) => key.replace(/^tw_./, (start) => (start.endsWith('0') ? 'tw_1' : 'tw_0'))],
    ['by a missing character', (key) => key.slice(0, -1)],
    ['by an extra character', (key) => `${key}A`],
    ['in letter case', (key) => key.replace('tw_', 'TW_')],
    ['by having the hash as the secret', () => 'HASH'],
  ])('that differ %s are refused', async (_where, change) => {
    const { key, record } = await createApiKey({ scopes: [] })
    await using at = await holding(record)
    const shown = change(key) === 'HASH' ? `tw_${record.id}_${record.hash.slice(0, 43)}` : change(key)
    expect((await use(at.url, 'who', bearer(shown))).status).toBe(401)
    expect((await use(at.url, 'who', { 'x-api-key': shown })).status).toBe(401)
  })

  it('expire at their expiry time', async () => {
    const { key, record } = await createApiKey({ scopes: [], expiresAt: Date.now() + 60_000 })
    const later = () => Date.now() + 61_000
    await using now = await holding(record)
    await using then = await serve(() => ({ authenticate: apiKeys({ store: memoryApiKeys([record]), now: later }) }))
    expect((await use(now.url, 'who', bearer(key))).status).toBe(200)
    expect((await use(then.url, 'who', bearer(key))).error?.message).toBe('The key has expired')
  })

  it.each([
    '2020-01-01T00:00:00Z',
    '2999-01-01T00:00:00Z',
    Number.NaN,
    new Date(0),
    null,
  ])('with an expiry of %s are refused', async (expiresAt) => {
    const { key, record } = await createApiKey({ scopes: [] })
    await using at = await holding({ ...record, expiresAt: expiresAt as never }) // as a table or a file holds it
    expect((await use(at.url, 'who', bearer(key))).status).toBe(401)
  })

  it('are looked up in the store by id alone', async () => {
    const asked: string[] = []
    const { key, record } = await createApiKey({ scopes: [] })
    const store = {
      find: async (id: string) => {
        asked.push(id)
        return id === record.id ? record : undefined
      },
    }
    await using at = await serve(() => ({ authenticate: apiKeys({ store }) }))
    expect((await use(at.url, 'who', bearer(key))).status).toBe(200)
    expect(asked).toEqual([record.id])
  })

  it('cannot be stored twice with the same id', async () => {
    const { record } = await createApiKey({ scopes: [] })
    expect(() => memoryApiKeys([record, record])).toThrow(/same id/)
  })
})

describe('the comparison in constant time', () => {
  it.each([
    ['', '', true],
    ['ab', 'ab', true],
    ['ab', 'ac', false],
    ['ab', 'bb', false],
    ['ab', 'a', false],
    ['a', 'ab', false],
    ['', 'a', false],
  ])('of %j and %j says %s', (one, other, same) => expect(sameInConstantTime(one, other)).toBe(same))

  it('reads every character, wherever the first difference is', () => {
    const looked = (other: string) => {
      let count = 0
      const charCodeAt = (at: number) => {
        count++
        return 'a'.repeat(64).charCodeAt(at)
      }
      sameInConstantTime({ length: 64, charCodeAt } as unknown as string, other) // only the members that the comparison reads
      return count
    }
    expect([`b${'a'.repeat(63)}`, `${'a'.repeat(63)}b`, 'a'.repeat(64), '0'.repeat(64)].map(looked)).toEqual([64, 64, 64, 64])
  })

  it('is used for every key, even an unknown one', () => {
    const source = readFileSync(new URL('../../src/auth/api-keys.ts', import.meta.url), 'utf8')
    expect(source).toContain('sameInConstantTime(hex(await fingerprint(key)), record?.hash ?? nobodys)')
    expect(source).not.toMatch(/hash\s*[!=]==/)
  })
})
