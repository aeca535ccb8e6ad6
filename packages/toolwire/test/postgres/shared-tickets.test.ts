import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryTickets } from '../../src/server/questions/spent-tickets.js'
import { howMany } from '../soak.js'
import { overStores } from './over-stores.js'

let count = 0
const later = () => Date.now() + 600_000

describe('shared question tickets', () => {
  overStores(
    { memory: memoryTickets, postgres: (stores) => stores.spentTickets },
    (replicas) => {
      it('are claimed once over all replicas, for any interleaving', async () => {
        const tickets = fc.array(fc.record({ ticket: fc.integer({ min: 0, max: 3 }), replica: fc.integer({ min: 0, max: 2 }) }), {
          minLength: 2,
          maxLength: 30,
        })
        await fc.assert(
          fc.asyncProperty(tickets, async (claims) => {
            const round = ++count
            const stores = replicas()
            const won = await Promise.all(
              claims.map(({ ticket, replica }) => stores[replica as 0 | 1 | 2].claim(`${round} ${ticket}`, later())),
            )
            for (const ticket of new Set(claims.map((one) => one.ticket)))
              expect(claims.filter((one, at) => one.ticket === ticket && won[at])).toHaveLength(1)
          }),
          { numRuns: howMany(20, 100) },
        )
      })
    },
    (replicas, server) => {
      it('cannot be claimed during an outage of the database, and stay claimed afterwards', async () => {
        const [a, b] = replicas()
        expect(await a.claim('before', later())).toBe(true)
        await server().kill()
        await expect(a.claim('meanwhile', later())).rejects.toThrow()
        await server().start()
        expect(await b.claim('before', later())).toBe(false)
        expect([await b.claim('meanwhile', later()), await a.claim('meanwhile', later())]).toEqual([true, false])
      })

      it('are kept for replicas whose clocks are behind', async () => {
        const [a, b] = replicas()
        expect(await a.claim('old', Date.now() - 3_600_000)).toBe(true)
        expect(await b.claim('old', Date.now() - 3_600_000)).toBe(false)
      })
    },
  )
})
