import { afterEach, describe, expect, it } from 'vitest'
import { server, tool } from '../../src/index.js'
import type { SharedTurns } from '../../src/policy/concurrency/shared-turns.js'
import { memoryTurns } from './memory-stores.js'
import '../reported-faults.js'
import { postgresFound } from '../postgres-server.js'
import { Rounder } from '../server/questions/rounds.js'
import { overStores, postgresReplicas } from './over-stores.js'

describe('shared concurrency slots', () => {
  overStores<SharedTurns>({ memory: memoryTurns, postgres: (stores) => stores.turns }, (replicas) => {
    let inside = 0
    let most = 0
    const ends: (() => void)[] = []
    afterEach(() => {
      for (const end of ends.splice(0)) end()
      inside = 0
      most = 0
    })

    const app = (shared: SharedTurns, waitMs: number) =>
      server({
        name: 'shop',
        version: '1',
        guard: { concurrency: { all: 100, each: 3, perTool: 5, waitMs, shared } },
        tools: {
          work: tool({
            description: 'Works',
            run: () =>
              new Promise<string>((resolve) => {
                most = Math.max(most, ++inside)
                ends.push(() => {
                  inside--
                  resolve('done')
                })
              }),
          }),
        },
      })
    const callers = (waitMs: number, ids: readonly string[]) =>
      replicas().flatMap((turns) => ids.map((id) => new Rounder(app(turns, waitMs), { caller: { id, anonymous: false } })))

    it('never exceed their limit, in total and for each caller', async () => {
      const calls = callers(60_000, ['ada', 'bob', 'cy']).flatMap((one) => [one.call('work'), one.call('work')])
      for (let done = 0; done < calls.length; ) {
        await expect.poll(() => ends.length).toBeGreaterThan(0)
        for (const end of ends.splice(0)) {
          end()
          done++
        }
      }
      for (const { result } of await Promise.all(calls)) expect(result).toMatchObject({ content: [{ text: 'done' }] })
      expect(most).toBeLessThanOrEqual(5)
      expect(most).toBeGreaterThan(1)
    })

    it('are refused to a caller at its limit, and are freed when a call ends', async () => {
      const [first, second, third] = callers(100, ['eve'])
      const held = [first, second, third].map((one) => one?.call('work'))
      await expect.poll(() => inside).toBe(3)
      const refused = await third?.call('work')
      expect(JSON.stringify(refused)).toContain('Too many requests at once')
      ends.shift()?.()
      await Promise.race(held)
      const next = second?.call('work')
      await expect.poll(() => ends.length).toBe(3)
      for (const end of ends.splice(0)) end()
      expect((await next)?.result).toMatchObject({ content: [{ text: 'done' }] })
    })
  })

  describe.runIf(postgresFound)('in PostgreSQL', () => {
    const { replicas, pool, server: database } = postgresReplicas()

    it('are renewed, and freed when their replica has died', async () => {
      const [a, b] = replicas()
      const one = [{ key: 'a\0', most: 1 }]
      const leave = await a.turns.enter(one)
      expect(leave).toBeDefined()
      expect(await b.turns.enter(one)).toBeUndefined()
      expect(await b.turns.enter([{ key: 'another', most: 1 }, ...one])).toBeUndefined()
      // A refused call has taken no slot.
      expect(await b.turns.enter([{ key: 'another', most: 1 }])).toBeDefined()
      const asked = pool()
      const until = async () =>
        (await asked.query("SELECT max(until)::text AS until FROM toolwire.shared_turns WHERE key LIKE 'a%'")).rows[0]?.until
      const first = await until()
      await expect.poll(until).not.toBe(first)
      await asked.query("UPDATE toolwire.shared_turns SET until = clock_timestamp() - interval '1 second'")
      expect(await b.turns.enter(one)).toBeDefined()
    })

    it('are counted by each process during an outage of the database', async () => {
      const shop = server({
        name: 'shop',
        version: '1',
        guard: { concurrency: { each: 1, shared: replicas()[0].turns } },
        tools: { work: tool({ description: 'Works', run: () => 'done' }) },
      })
      await database().kill()
      expect((await new Rounder(shop).call('work')).result).toMatchObject({ content: [{ text: 'done' }] })
      await database().start()
      await expect.poll(async () => (await new Rounder(shop).call('work')).result).toMatchObject({ content: [{ text: 'done' }] })
    })
  })
})
