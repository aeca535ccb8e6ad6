// Received labels on several replicas: a caller who has read labelled data through one may not send it through another.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LabelHold, LabelStore } from '../../src/policy/rules/label-store.js'
import { ReceivedLabels } from '../../src/policy/rules/received-labels.js'
import type { RunSql } from '../../src/postgres/database.js'
import { postgresStores } from '../../src/postgres/index.js'
import { sharedLabels } from '../../src/postgres/shared-labels.js'
import { defineRules, rules } from '../../src/rules.js'
import { Refusal } from '../../src/tools/refusal.js'
import { callOf, done, through } from '../policy/call.js'
import { postgresFound } from '../postgres-server.js'
import { faults } from '../reported-faults.js'
import { howMany } from '../soak.js'
import { overStores, postgresReplicas } from './over-stores.js'

const periods = { minute: 60_000, hour: 3_600_000 } as const
/** Maximum overrun of the period of a shared label, and a margin for the real time that passes during a test. */
const extraMs = 60_000 + 20_000

const clock = { aheadMs: 0 }
const { now } = performance
beforeEach(() => {
  clock.aheadMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + clock.aheadMs)
})
afterEach(() => vi.restoreAllMocks())

type Database = { query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }> }

/** Advances the time in this process and in the rows. */
async function pass(ms: number, database?: Database): Promise<void> {
  clock.aheadMs += ms
  await database?.query(`UPDATE toolwire.shared_labels SET until = until - $1::float8 * interval '1 millisecond'`, [ms])
}

const red = (period: keyof typeof periods = 'minute', name = 'red') => [{ name, when: {}, for: period }]
/** A new caller for each test, because all tests share the store of the process. */
let caller = ''
let callers = 0
beforeEach(() => {
  caller = `caller ${++callers}`
})
const has = async (store: LabelStore, who = caller, label = 'red') => (await store.received(who, [label]))(label)
const hold = async (store: LabelStore, period?: keyof typeof periods, who = caller) => await store.hold(who, red(period))

const set = defineRules({
  default: 'allow',
  labels: [{ name: 'red', when: { server: 'crm' } }],
  rules: [{ name: 'stays here', when: { server: 'web', received: 'red' }, decision: 'deny', because: 'it is private' }],
})
const read = () => callOf({ server: 'crm', listed: { name: 'read' }, caller })
const post = () => callOf({ server: 'web', listed: { name: 'post' }, caller })
const other = () => callOf({ server: 'files', listed: { name: 'list' }, caller })
const currentCaller = () => ({ id: caller, scopes: [] })

describe('shared received labels', () => {
  overStores<LabelStore>({ memory: () => new ReceivedLabels(), postgres: (stores) => stores.labels }, (replicas, pool) => {
    const known = (who = caller, label = 'red') => Promise.all(replicas().map((store) => has(store, who, label)))
    const everywhere = [true, true, true]
    const nowhere = [false, false, false]
    const later = (ms: number) => pass(ms, pool?.())

    it('apply on every replica to one caller, from their beginning until their period is over', async () => {
      const [a, b] = replicas()
      const held = await hold(a)
      expect(await known()).toEqual(everywhere)
      expect(await known('ada')).toEqual(nowhere)
      expect(await known(caller, 'blue')).toEqual(nowhere)
      held.end()
      await later(periods.minute - 20_000)
      expect(await known()).toEqual(everywhere)
      ;(await hold(b)).end()
      await later(periods.minute - 20_000)
      expect(await known()).toEqual(everywhere)
      await later(20_000 + extraMs)
      expect(await known()).toEqual(nowhere)
    })

    it('apply until the outcome can no longer be fetched, and for their period afterwards', async () => {
      const [a] = replicas()
      const held = await hold(a)
      held.end(3_000_000)
      // The end is written asynchronously.
      if (pool) await expect.poll(async () => (await pool().query(lasting, [3_000_000])).rows.length).toBe(1)
      await later(3_000_000 + periods.minute - 20_000)
      expect(await known()).toEqual(everywhere)
      await later(20_000 + extraMs)
      expect(await known()).toEqual(nowhere)
    })

    it('are taken back by one replica while another still holds them, and then by that one', async () => {
      const [a, b] = replicas()
      const [one, two, three] = [await hold(a, 'hour'), await hold(b), await hold(b)]
      one.takeBack()
      one.end()
      three.takeBack()
      expect(await known()).toEqual(everywhere)
      two.takeBack()
      await expect.poll(() => known()).toEqual(nowhere)
    })

    it('are taken back from a call that was not made, and stay from an earlier call', async () => {
      const [a, b] = replicas()
      ;(await hold(a)).end()
      ;(await hold(a, 'hour')).takeBack()
      // The remaining label lasts for a minute plus the overrun.
      if (pool) await expect.poll(async () => (await pool().query(lasting, [200_000])).rows.length).toBe(0)
      expect(await has(b)).toBe(true)
      await later(periods.minute + extraMs)
      expect(await known()).toEqual(nowhere)
    })

    it('may have any names, and so may their callers', async () => {
      const [a, b] = replicas()
      const names = ['a\0b', 'a\\0b', "'; DROP", 'x'.repeat(5_000), 'é', '{"a"}', '']
      for (const who of names) for (const name of names) (await a.hold(who, red('minute', name))).end()
      for (const who of names) {
        for (const name of names) expect(await has(b, who, name)).toBe(true)
        expect(await has(b, who, 'a')).toBe(false)
        expect(await has(b, `${who}.`, 'é')).toBe(false)
      }
    })

    it('stop calls at one replica while the call at another is in progress', async () => {
      const [one, two] = replicas().map((received) => rules(set, { received }))
      if (!one || !two) throw new Error('There are replicas')
      expect((await through(two, post())).result).toBe(done)
      let during: unknown
      await one.call?.(read(), async () => {
        during = (await through(two, post())).refusal
        return done
      })
      expect(during).toMatchObject({ reason: 'forbidden', message: 'This call to post is not allowed: it is private' })
      expect((await through(two, post())).sent).toEqual([])
      caller = 'somebody else'
      expect((await through(two, post())).result).toBe(done)
    })

    it('stop reads, and answers to earlier questions', async () => {
      const [one, two] = replicas().map((received) => rules(set, { received }))
      if (!one || !two) throw new Error('There are replicas')
      endRead(await two.read('web', currentCaller()))
      let answer: unknown
      await two.call?.(post(), async ({ context }) => {
        await context.checkAnswer?.()
        endRead(await one.read('crm', currentCaller()))
        answer = await refusalOf(async () => context.checkAnswer?.())
        return done
      })
      expect(answer).toMatchObject({ reason: 'forbidden', message: expect.stringContaining('it is private') })
      expect(await refusalOf(async () => two.read('web', currentCaller()))).toMatchObject({ reason: 'forbidden' })
    })

    it('are removed from a caller whose call was not made', async () => {
      const [one, two] = replicas().map((received) => rules(set, { received }))
      if (!one || !two) throw new Error('There are replicas')
      await through(one, read(), new Refusal('not-approved', 'No'))
      await expect.poll(async () => (await through(two, post())).result).toBe(done)
    })
  })

  describe.runIf(postgresFound)('in PostgreSQL', () => {
    const { replicas, pool, server } = postgresReplicas()

    /** The stores of two replicas, and a count of their statements. */
    async function counted() {
      const database = pool()
      await postgresStores(database, { replicas: 1 }).migrate()
      await database.query('DELETE FROM toolwire.shared_labels')
      const statements: string[] = []
      let running = 0
      const sql: RunSql = async (text, values) => {
        statements.push(text.includes('INSERT') ? 'write' : 'read')
        running++
        try {
          return (await database.query(text, [...values])).rows as never[]
        } finally {
          running--
        }
      }
      const idle = () => expect.poll(() => running, { interval: 1 }).toBe(0)
      return { database, statements, idle, store: (renewEveryMs?: number) => sharedLabels(sql, renewEveryMs) }
    }

    it('are written at most once in half a minute for each caller, and not read if they are known', async () => {
      const { statements, idle, store } = await counted()
      const [a, b] = [store(), store()]
      const first = await Promise.all(Array.from({ length: 20 }, () => hold(a)))
      expect(statements).toEqual(['write'])
      for (const held of first) held.end()
      expect(a.hold(caller, red())).not.toBeInstanceOf(Promise)
      expect(a.received(caller, ['red'])).not.toBeInstanceOf(Promise)
      await idle()
      expect(statements).toEqual(['write'])
      await Promise.all(Array.from({ length: 20 }, () => has(b)))
      // The first statement serves the first of them, and the second statement all others.
      expect(statements).toEqual(['write', 'read', 'read'])
      await pass(31_000)
      await hold(a)
      expect(statements.slice(3)).toEqual(['write'])
    })

    it('cause no statements if no rule about the tool needs them', async () => {
      const { statements, store } = await counted()
      const policy = rules(set, { received: store() })
      let sent = false
      const going = policy.call?.(other(), async () => {
        sent = true
        return done
      })
      expect(sent).toBe(true)
      await going
      ;(policy.read('files', currentCaller()) as () => void)()
      expect(statements).toEqual([])
    })

    it('are not shortened by a late statement', async () => {
      const { database } = await counted()
      const late: (() => Promise<unknown>)[] = []
      let isLate = false
      const sql: RunSql = async (text, values) => {
        const run = async () => (await database.query(text, [...values])).rows as never[]
        if (!isLate) return run()
        late.push(run)
        throw new Error('No answer within 4000 ms')
      }
      const a = sharedLabels(sql)
      const held = await hold(a)
      isLate = true
      held.takeBack()
      await expect.poll(() => late.length).toBe(1)
      isLate = false
      await hold(a)
      await late[0]?.()
      const b = sharedLabels(sql)
      expect(await has(b)).toBe(true)
    })

    it('match a simple model, for any sequence of operations and any delay', async () => {
      const length = fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000, 63_000), fc.integer({ min: 0, max: 200_000 }))
      const step = fc.oneof(
        fc.record({
          kind: fc.constant('hold'),
          at: fc.nat(1),
          caller: fc.constantFrom('eve', 'ada'),
          for: fc.constantFrom('minute', 'hour'),
        }),
        fc.record({ kind: fc.constantFrom('end', 'take back'), which: fc.nat() }),
        fc.record({ kind: fc.constant('keep'), which: fc.nat(), afterMs: length }),
        fc.record({ kind: fc.constant('pass'), ms: length }),
      )
      const { database, idle, store } = await counted()
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          await database.query('DELETE FROM toolwire.shared_labels')
          const stores = [store(1), store(1)] as const
          const reader = store()
          let at = 0
          const holds: { at: number; caller: string; forMs: number; until: number; hold: LabelHold }[] = []
          const isOpen = ({ until }: { until: number }) => until === Number.POSITIVE_INFINITY
          /** Advances the time while the rows are renewed. */
          const advance = async (ms: number) => {
            for (let left = ms; left > 0; left -= 20_000) {
              const most = holds.some(isOpen) ? Math.min(left, 20_000) : left
              await idle()
              await pass(most, database)
              at += most
              for (const who of ['eve', 'ada']) {
                const open = [0, 1].map((one) => holds.filter((held) => isOpen(held) && held.caller === who && held.at === one))
                const periodsOf = open.flatMap((some) => (some.length > 0 ? Math.max(...some.map(({ forMs }) => forMs)) : []))
                const longest = periodsOf.sort((a, b) => b - a)
                await expect
                  .poll(
                    async () => {
                      const rows: { ms: number }[] = (await database.query(leftOf, [who])).rows
                      return longest.every((ms, index) => (rows[index]?.ms ?? 0) > ms + 20_000)
                    },
                    { interval: 5 },
                  )
                  .toBe(true)
              }
              if (most === left) break
            }
          }
          for (const one of steps) {
            if ('ms' in one) await advance(one.ms)
            if ('caller' in one) {
              const made = await hold(stores[one.at as 0 | 1], one.for as 'minute' | 'hour', one.caller)
              holds.push({
                at: one.at,
                caller: one.caller,
                forMs: periods[one.for as 'minute' | 'hour'],
                until: Number.POSITIVE_INFINITY,
                hold: made,
              })
            }
            const taken = 'which' in one ? holds[one.which % holds.length] : undefined
            if (taken && 'which' in one) {
              const afterMs = 'afterMs' in one ? one.afterMs : 0
              if (one.kind === 'take back') taken.hold.takeBack()
              else taken.hold.end(afterMs)
              if (isOpen(taken)) taken.until = one.kind === 'take back' ? 0 : at + afterMs + taken.forMs
            }
            await idle()
            for (const who of ['eve', 'ada']) {
              const until = Math.max(0, ...holds.filter((held) => held.caller === who).map((held) => held.until))
              const answers = await Promise.all([...stores, reader].map((asked) => has(asked, who)))
              if (until - 20_000 > at) expect(answers).toEqual([true, true, true])
              if (until + extraMs < at || until === 0) expect(answers).toEqual([false, false, false])
            }
          }
          for (const one of holds) one.hold.end()
          await idle()
        }),
        { numRuns: howMany(15, 300) },
      )
      expect(faults).toEqual([])
    })

    it('are renewed during a call, and outlive their replica by their period', async () => {
      const { database, store } = await counted()
      const a = store(1)
      const b = store()
      const held = await hold(a)
      for (let minutes = 0; minutes < 5; minutes++) {
        for (let part = 0; part < 3; part++) {
          await pass(20_000, database)
          await expect.poll(async () => (await database.query(leftOf, [caller])).rows[0]?.ms).toBeGreaterThan(periods.minute)
        }
        expect(await has(b)).toBe(true)
      }
      held.end()
    })

    it('are deleted after they expire', async () => {
      const { database, store } = await counted()
      ;(await hold(store())).end()
      ;(await store().hold('ada', red('hour'))).end()
      await pass(periods.minute + extraMs, database)
      const stores = postgresStores(pool(), { replicas: 1 })
      expect(await stores.spentTickets.claim(crypto.randomUUID(), Date.now() + 1_000)).toBe(true)
      const rows = async () => (await database.query('SELECT 1 FROM toolwire.shared_labels')).rows.length
      await expect.poll(rows).toBe(1)
      expect(await has(store(), 'ada')).toBe(true)
    })

    it('refuse only dependent calls during an outage of the database, and survive its crash', async () => {
      const [a, b] = replicas()
      const [one, two] = [rules(set, { received: a.labels }), rules(set, { received: b.labels })]
      await through(one, read())
      await server().kill()
      const failed = { reason: 'forbidden', message: expect.stringContaining('The rules could not be evaluated') }
      expect(await through(two, post())).toMatchObject({ sent: [], refusal: failed })
      expect(await through(two, read())).toMatchObject({ sent: [], refusal: failed })
      expect(await refusalOf(async () => two.read('web', currentCaller()))).toMatchObject(failed)
      expect((await through(two, other())).result).toBe(done)
      // This replica knows the label itself.
      expect((await through(one, post())).refusal?.message).toContain('it is private')
      await server().start()
      await expect.poll(async () => (await through(two, post())).refusal?.message).toContain('it is private')
      await expect.poll(async () => (await through(two, read())).result).toBe(done)
      faults.splice(0)
    })
  })
})

const lasting = `SELECT 1 FROM toolwire.shared_labels WHERE until > clock_timestamp() + $1::float8 * interval '1 millisecond'`

/** Remaining milliseconds of the rows of the caller, longest first. */
const leftOf = `
SELECT 1000 * extract(epoch FROM until - clock_timestamp())::float8 AS ms FROM toolwire.shared_labels
WHERE caller = sha256(convert_to($1, 'UTF8')) ORDER BY until DESC
`

const endRead = (end: (() => void) | undefined) => end?.()

async function refusalOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return undefined
  } catch (thrown) {
    return thrown
  }
}
