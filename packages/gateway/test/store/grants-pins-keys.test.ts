import { randomBytes } from 'node:crypto'
import { apiKeys, createApiKey } from 'toolwire/auth'
import type { Grant, Pin } from 'toolwire/guard'
import { yieldWhenBusy } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { monotonicNow } from '../../src/store/database/thread/messages.js'
import type { Store } from '../../src/store/store.js'
import { describeEveryStore } from '../support/every-store.js'
import { newDirectory, newStore } from '../support/stores.js'

const hour = 3_600_000

const grant = (id: string, given: Partial<Grant> = {}): Grant => ({
  ...{ id, caller: 'eve', server: 'mail', tool: 'send', definitionHash: 'sha256:0', expiresAt: Date.now() + hour },
  ...given,
})

/** Blocks until long work would yield to other tasks. */
function keepBusy(): void {
  const rest = yieldWhenBusy()
  while (!rest());
}

describeEveryStore((newPlace) => {
  describe('grants', () => {
    it('survive a restart until they expire or are revoked, and a revocation applies at once', async () => {
      const place = await newPlace()
      const before = await place.open()
      const grants = [
        grant('a', { arguments: { type: 'object' } }),
        grant('b', { server: undefined }),
        grant('c', { expiresAt: Date.now() + 20 }),
      ]
      for (const one of grants) await before.grants.add(one)
      await before.close()
      await new Promise((resolve) => setTimeout(resolve, 30))
      const store = await place.open()
      expect(await store.grants.list()).toEqual(grants.slice(0, 2))
      const revoked = store.grants.revoke('a')
      expect(await store.grants.list()).toEqual(grants.slice(1, 2))
      await revoked
      await store.close()
      expect(await (await place.open()).grants.list()).toEqual(grants.slice(1, 2))
    })

    it('are limited to 1,000, and expire by a monotonic clock', async () => {
      let ahead = 0
      const store = await (await newPlace()).open({ now: () => monotonicNow() + ahead })
      for (let n = 0; n < 1_001; n++) await store.grants.add(grant(`${n}`, { expiresAt: Date.now() + hour + n }))
      const kept = await store.grants.list()
      expect(kept).toHaveLength(1_000)
      expect(kept.map(({ id }) => id)).not.toContain('0')
      ahead = 2 * hour
      expect(await store.grants.list()).toEqual([])
    })

    it('that are revoked while they are written do not return', async () => {
      const place = await newPlace()
      const store = await place.open()
      await Promise.all([store.grants.add(grant('a')), store.grants.revoke('a')])
      expect(await store.grants.list()).toEqual([])
      await store.close()
      expect(await (await place.open()).grants.list()).toEqual([])
    })
  })

  describe('pins', () => {
    it('survive a restart, one for each tool of each server', async () => {
      const place = await newPlace()
      const before = await place.open()
      const pin = (server: string | undefined, hash: string): Pin => ({
        server,
        tool: 'send',
        hash,
        definition: { name: 'send' },
        at: 5,
      })
      for (const one of [pin('null', 'a'), pin(undefined, 'b'), pin('mail', 'c'), pin('mail', 'd'), pin('gone', 'e')])
        await before.pins.set(one)
      await before.pins.delete('gone', 'send')
      await before.close()
      const { pins } = await place.open()
      expect(await pins.list()).toHaveLength(3)
      expect([await pins.get('null', 'send'), await pins.get(undefined, 'send'), await pins.get('mail', 'send')]).toEqual([
        ...[pin('null', 'a'), pin(undefined, 'b'), pin('mail', 'd')],
      ])
      expect(await pins.get('gone', 'send')).toBeUndefined()
    })
  })

  describe('a value with two changes at once', () => {
    it('has the later change, in memory and on disk', async () => {
      const place = await newPlace()
      const store = await place.open()
      const pin = (hash: string): Pin => ({ server: 'mail', tool: 'send', hash, definition: { name: 'send' }, at: 5 })
      await Promise.all([store.pins.set(pin('a')), store.pins.delete('mail', 'send')])
      expect(await store.pins.list()).toEqual([])
      await Promise.all([store.pins.set(pin('b')), store.pins.set(pin('c'))])
      expect(await store.pins.list()).toEqual([pin('c')])
      await store.close()
      expect(await (await place.open()).pins.list()).toEqual([pin('c')])
    })

    it('has the later change while much other work makes values wait for each other', async () => {
      const place = await newPlace()
      const store = await place.open()
      const pin = (tool: string, hash: string): Pin => ({ server: 'mail', tool, hash, definition: { name: tool }, at: 5 })
      const changed = ['put', 'dropped', 'put again']
      keepBusy()
      const all = store.pins.setAll([...changed, 'untouched'].map((tool) => pin(tool, 'a')))
      const later = [
        store.pins.set(pin('put', 'b')),
        store.pins.delete('mail', 'dropped'),
        store.pins.setAll(['put again', 'put'].map((tool) => pin(tool, 'c'))),
      ]
      await Promise.all([all, ...later])
      const expected = ['put', 'put again'].map((tool) => pin(tool, 'c')).concat(pin('untouched', 'a'))
      const sorted = async ({ pins }: Store) => (await pins.list()).toSorted((a, b) => (a.tool < b.tool ? -1 : 1))
      expect(await sorted(store)).toEqual(expected)
      await store.close()
      expect(await sorted(await place.open())).toEqual(expected)
    })

    it('is absent if it is added and then dropped under the highest load', async () => {
      const place = await newPlace()
      const store = await place.open()
      keepBusy()
      const added = store.grants.add(grant('a'))
      await Promise.all([store.grants.revoke('a'), added])
      expect(await store.grants.list()).toEqual([])
      await store.close()
      expect(await (await place.open()).grants.list()).toEqual([])
    })
  })

  describe('API keys', () => {
    it('survive a restart, and are refused as soon as they are revoked', async () => {
      const place = await newPlace()
      const before = await place.open()
      const { key, record } = await createApiKey({ caller: 'nightly', scopes: ['orders:read'], expiresAt: Date.now() + hour })
      await before.keys.add(record)
      await before.close()
      const { keys } = await place.open()
      expect(keys.list()).toEqual([record])
      expect(await place.contains(key)).toBe(false)
      const authenticate = apiKeys({ store: keys })
      const arrival = { header: (name: string) => (name === 'authorization' ? `Bearer ${key}` : undefined) } as never
      expect(await authenticate(arrival)).toMatchObject({ id: 'nightly', scopes: ['orders:read'] })
      const revoked = keys.revoke(record.id)
      expect(await authenticate(arrival)).not.toMatchObject({ id: 'nightly' })
      expect(await revoked).toBe(true)
      expect(await keys.revoke(record.id)).toBe(false)
    })
  })

  describe('the vault', () => {
    it('separates the credentials of each person at each server, also after a restart', async () => {
      const place = await newPlace()
      const before = await place.open()
      await before.vault.tokens('mail', 'ada').set('tokens', 'secret of ada')
      await before.vault.tokens('mail', 'bob').set('tokens', 'secret of bob')
      await before.vault.tokens('post', 'ada').set('tokens', '')
      await before.close()
      const { vault } = await place.open()
      expect(await vault.tokens('mail', 'ada').get('tokens')).toBe('secret of ada')
      expect(await vault.tokens('mail', 'bob').get('tokens')).toBe('secret of bob')
      expect(await vault.tokens('post', 'ada').get('tokens')).toBe('')
      expect(await vault.tokens('post', 'bob').get('tokens')).toBeUndefined()
      await vault.tokens('mail', 'bob').set('client', 'another one')
      expect([...(await vault.all('mail', 'bob'))].sort()).toEqual([
        ['client', 'another one'],
        ['tokens', 'secret of bob'],
      ])
      await vault.forget('mail', 'ada')
      expect(await vault.holders()).toEqual([
        { server: 'mail', principal: 'bob' },
        { server: 'post', principal: 'ada' },
      ])
      for (const name of ['client', 'tokens']) await vault.tokens('mail', 'bob').delete(name)
      expect(await vault.tokens('mail', 'bob').get('tokens')).toBeUndefined()
    })

    it('has no readable secrets in its files', async () => {
      const place = await newPlace()
      const store = await place.open()
      await store.vault.tokens('mail', 'ada').set('tokens', 'a very secret token')
      await store.close()
      expect(await place.contains('very secret')).toBe(false)
    })

    it('does not open a value that was moved to another person, or changed', async () => {
      const place = await newPlace()
      const before = await place.open()
      await before.vault.tokens('mail', 'ada').set('tokens', 'secret of ada')
      await before.vault.tokens('mail', 'eve').set('tokens', 'secret of eve')
      await before.close()
      await place.tamper(`UPDATE sealed SET value = (SELECT value FROM sealed WHERE principal = 'ada') WHERE principal = 'eve'`)
      const { vault } = await place.open()
      expect(await vault.tokens('mail', 'ada').get('tokens')).toBe('secret of ada')
      await expect(vault.tokens('mail', 'eve').get('tokens')).rejects.toThrow('sealed with another key, or was changed')
    })
  })
})

describe('the vault of one gateway', () => {
  it("is sealed with the operator's key, if there is one", async () => {
    const directory = newDirectory()
    const vaultKey = randomBytes(32).toString('hex')
    const before = await newStore({ vaultKey }, directory)
    await before.vault.tokens('mail', 'ada').set('tokens', 'secret')
    await before.close()
    const other = await newStore({ vaultKey: randomBytes(32).toString('base64') }, directory)
    await expect(other.vault.tokens('mail', 'ada').get('tokens')).rejects.toThrow('Restore the key')
    expect(other.digestKey).not.toEqual(before.digestKey)
    await other.close()
    const same = await newStore({ vaultKey: Buffer.from(vaultKey, 'hex').toString('base64') }, directory)
    expect(await same.vault.tokens('mail', 'ada').get('tokens')).toBe('secret')
    expect(same.digestKey).toEqual(before.digestKey)
    await same.close()
    await expect(newStore({ vaultKey: 'short' }, directory)).rejects.toThrow('TOOLWIRE_VAULT_KEY must hold a key of 32 bytes')
  })
})
