import { describe, expect, it } from 'vitest'
import { type Grant, type GrantStore, memoryGrants } from '../../src/policy/approve/grants.js'
import { memoryPins, type Pin, type PinStore, pinFirst } from '../../src/policy/pin/store.js'
import { overStores } from './over-stores.js'

const grant = (id: string, given: Partial<Grant> = {}): Grant => ({
  id,
  caller: 'ada\0',
  server: undefined,
  tool: 'send',
  definitionHash: 'sha256:0',
  arguments: { const: { to: '\0' } },
  expiresAt: Date.now() + 300_000,
  ...given,
})

describe('shared grants', () => {
  overStores<GrantStore>({ memory: () => memoryGrants(), postgres: (stores) => stores.grants }, (replicas) => {
    const ids = async (store: GrantStore) => (await store.list()).map(({ id }) => id).sort()

    it('apply on every replica until they are revoked or expire', async () => {
      const [a, b, c] = replicas()
      const lasting = grant('lasting')
      await a.add(lasting)
      await b.add(grant('brief', { expiresAt: Date.now() + 300 }))
      const [seen] = (await c.list()).filter(({ id }) => id === 'lasting')
      expect({ ...seen, expiresAt: 0 }).toEqual({ ...lasting, expiresAt: 0 })
      expect(Math.abs((seen?.expiresAt ?? 0) - lasting.expiresAt)).toBeLessThan(60_000)
      for (const store of [a, b, c]) await expect.poll(() => ids(store)).toEqual(['lasting'])
      await b.revoke('nobody\0')
      await b.revoke('lasting')
      for (const store of [a, b, c]) expect(await ids(store)).toEqual([])
    })
  })
})

const pin = (hash: string, given: Partial<Pin> = {}): Pin => ({
  server: 'mail',
  tool: 'send',
  hash,
  definition: { name: 'send', description: 'Sends\0' },
  at: 1,
  ...given,
})

describe('shared pins', () => {
  overStores<PinStore>(
    { memory: memoryPins, postgres: (stores) => stores.pins },
    (replicas) => {
      it('apply on every replica, for one tool of one server', async () => {
        const [a, b, c] = replicas()
        const pins = [
          pin('1'),
          pin('2', { server: undefined }),
          pin('3', { tool: 'send\0' }),
          pin('4', { server: 'ma', tool: 'ilsend' }),
        ]
        for (const one of pins) await a.set(one)
        for (const one of pins) expect(await b.get(one.server, one.tool)).toEqual(one)
        expect((await c.list()).length).toBe(pins.length)
        await c.set(pin('5'))
        expect((await a.get('mail', 'send'))?.hash).toBe('5')
        for (const { server, tool } of pins) await b.delete(server, tool)
        expect(await a.list()).toEqual([])
      })
    },
    (replicas) => {
      it('are the first definition that any replica has seen', async () => {
        const stores = replicas()
        const kept = await Promise.all([0, 1, 2, 0, 1, 2].map((at, n) => pinFirst(stores[at as 0 | 1 | 2], pin(`first ${n}`))))
        const [first] = await stores[0].list()
        expect(new Set(kept.map(({ hash }) => hash))).toEqual(new Set([first?.hash]))
      })
    },
  )
})
