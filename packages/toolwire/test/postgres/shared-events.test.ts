import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resource, server, tool } from '../../src/index.js'
import { type EventStore, MemoryEvents } from '../../src/node.js'
import { postgresStores } from '../../src/postgres/index.js'
import { postgresFound } from '../postgres-server.js'
import { faults } from '../reported-faults.js'
import { howMany } from '../soak.js'
import { call } from '../transports/fixture.js'
import { Client, type Event, type HttpPeer } from '../transports/peers.js'
import { httpReplicas, reading } from './http-replicas.js'
import { overStores, postgresReplicas, type Replicas } from './over-stores.js'

let count = 0

/** Running calls of the tool `steps`, which send a number or end on command. */
const running: { say(n: number): void; end(): void }[] = []

const app = () =>
  server({
    name: 'shop',
    version: '1',
    secret: 'a secret that three replicas share',
    logging: true,
    tools: {
      steps: tool({
        description: 'Says numbers',
        run: (_, ctx) =>
          new Promise<string>((resolve) => {
            running.push({ say: (n) => ctx.log('info', n), end: () => resolve('done') })
          }),
      }),
    },
    resources: { stock: resource({ uri: 'shop://stock', read: () => '1' }) },
  })

const numbersIn = (events: readonly Event[]) =>
  events.flatMap(({ data }): (string | number)[] => {
    const message = data ? JSON.parse(data) : {}
    if (message.result) return ['done']
    return message.method === 'notifications/message' ? [message.params.data] : []
  })

function suite(stores: Replicas<EventStore>): void {
  const { apps, peer } = httpReplicas(() => stores().map((events) => ({ events })), app)

  /** Starts a call of `steps` at the first replica. */
  async function begun() {
    const first = peer(0)
    await Client.open(first, '2025-11-25')
    running.splice(0)
    const stream = reading(first, 'POST', { body: call(++count, 'steps') })
    await expect.poll(() => running.length).toBe(1)
    const [steps] = running
    if (!steps) throw new Error('The call has not begun')
    return { first, stream, steps }
  }

  it('are found by any replica that the client reconnects to, and later ones follow', async () => {
    const { first, stream, steps } = await begun()
    for (const n of [1, 2, 3]) steps.say(n)
    await expect.poll(() => numbersIn(stream.events())).toEqual([1, 2, 3])
    const second = stream.events().find((event) => numbersIn([event])[0] === 2)
    stream.cut()
    steps.say(4)
    const again = reading(peer(1, first), 'GET', { lastEventId: second?.id ?? '' })
    await expect.poll(() => numbersIn(again.events())).toEqual([3, 4])
    steps.say(5)
    steps.end()
    await again.ended
    expect(numbersIn(again.events())).toEqual([3, 4, 5, 'done'])
    // The third replica also delivers past events.
    const late = reading(peer(2, first), 'GET', { lastEventId: second?.id ?? '' })
    await late.ended
    expect(numbersIn(late.events())).toEqual([3, 4, 5, 'done'])
    expect(late.events().map(({ id }) => id)).toEqual(again.events().map(({ id }) => id))
  })

  it('arrive once and in order, wherever and whenever the client reconnects', async () => {
    const visits = fc.array(fc.record({ replica: fc.integer({ min: 0, max: 2 }), says: fc.integer({ min: 0, max: 3 }) }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(visits, async (taken) => {
        const { first, stream, steps } = await begun()
        let said = 0
        const sayOne = () => steps.say(++said)
        sayOne()
        await expect.poll(() => numbersIn(stream.events())).toEqual([1])
        let received = stream.events()
        stream.cut()
        for (const { replica, says } of taken) {
          for (let at = 0; at < says; at++) sayOne()
          const visit: ReturnType<typeof reading> = reading(peer(replica, first), 'GET', {
            lastEventId: received.at(-1)?.id ?? '',
          })
          sayOne()
          await expect.poll(() => numbersIn(visit.events()).at(-1)).toBe(said)
          received = [...received, ...visit.events()]
          visit.cut()
        }
        steps.end()
        const last = reading(peer(0, first), 'GET', { lastEventId: received.at(-1)?.id ?? '' })
        await last.ended
        expect(numbersIn([...received, ...last.events()])).toEqual([...Array.from({ length: said }, (_, at) => at + 1), 'done'])
      }),
      { numRuns: howMany(4, 40) },
    )
  })

  it('continue a listening stream on another replica', async () => {
    const first = peer(0)
    await Client.open(first, '2025-11-25')
    const stream = reading(first, 'GET')
    expect((await stream.opened).status).toBe(200)
    await expect.poll(() => stream.events().length).toBe(1)
    const primed = stream.events()[0]?.id ?? ''
    apps[0]?.tools.announce()
    await expect.poll(() => stream.messages().length).toBe(1)
    stream.cut()
    const again = reading(peer(1, first), 'GET', { lastEventId: primed })
    await expect.poll(() => again.messages().length).toBe(1)
    apps[1]?.tools.announce()
    await expect.poll(() => again.messages().length).toBe(2)
    again.cut()
    const ids = again.events().map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    const third = reading(peer(2, first), 'GET', { lastEventId: ids[0] ?? '' })
    await expect.poll(() => third.events().map(({ id }) => id)).toEqual(ids.slice(1))
    third.cut()
  })

  it('are deleted with the session, and an unknown event id is refused', async () => {
    const { first, stream, steps } = await begun()
    steps.say(1)
    await expect.poll(() => numbersIn(stream.events())).toEqual([1])
    const id = stream.events().at(-1)?.id ?? ''
    const tries: [number, string][] = [
      [1, id.replace(/\d+$/, '99')],
      [1, id.replace(/-\d+$/, '--1')],
      [2, `ffffffffffff.1-3`],
      [2, 'nonsense'],
      [2, `x${id}`],
    ]
    const status = async (of: HttpPeer, lastEventId: string) => (await reading(of, 'GET', { lastEventId }).opened).status
    for (const [at, tried] of tries) expect([tried, await status(peer(at, first), tried)]).toEqual([tried, 400])
    const other = peer(1)
    await Client.open(other, '2025-11-25')
    expect(await status(other, id)).toBe(400)
    steps.end()
    expect((await first.request('DELETE')).status).toBe(204)
  })
}

describe('shared stream events', () => {
  overStores<EventStore>(
    { memory: () => Object.assign(new MemoryEvents(), { shared: true }), postgres: (stores) => stores.events },
    suite,
    (stores, database) => {
      const { peer } = httpReplicas(() => stores().map((events) => ({ events })), app)

      it('are sent during an outage of the database, and resuming at lost ones is refused afterwards', async () => {
        const first = peer(0)
        await Client.open(first, '2025-11-25')
        running.splice(0)
        const stream = reading(first, 'POST', { body: call(++count, 'steps') })
        await expect.poll(() => running.length).toBe(1)
        const [steps] = running
        steps?.say(1)
        await expect.poll(() => numbersIn(stream.events())).toEqual([1])
        const id = stream.events().at(-1)?.id ?? ''
        await database().kill()
        steps?.say(2)
        await expect.poll(() => numbersIn(stream.events())).toEqual([1, 2])
        const refused = await reading(peer(1, first), 'GET', { lastEventId: id }).opened
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
        await database().start()
        expect((await reading(peer(1, first), 'GET', { lastEventId: id }).opened).status).toBe(400)
        steps?.end()
        await stream.ended
        expect(numbersIn(stream.events())).toEqual([1, 2, 'done'])
      })
    },
  )

  describe('in a slow store', () => {
    const kept = new MemoryEvents()
    const slow: EventStore = {
      shared: true,
      async append(session, stream, event) {
        await new Promise((resolve) => setTimeout(resolve, 150))
        kept.append(session, stream, event)
      },
      after: async (session, stream, seq) => kept.after(session, stream, seq),
      forget: (session) => kept.forget(session),
    }
    suite(() => [slow, slow, slow])
  })

  describe.runIf(postgresFound)('in PostgreSQL', () => {
    const { replicas, pool } = postgresReplicas()

    it('have a maximum size in total, and the latest are kept', async () => {
      const { events } = replicas()[0]
      for (let seq = 1; seq <= 40; seq++) await events.append('large', 'a', { seq, data: 'x'.repeat(100_000) })
      await events.append('small', 'a', { seq: 1, data: 'kept' })
      // Another process starts, and its first statement removes old rows.
      const other = postgresStores(pool(), { replicas: 3 }).events
      await other.after('small', 'a', 0)
      await expect.poll(async () => (await other.after('large', 'a', 0))?.length).toBeUndefined()
      expect(faults).toEqual([])
      expect((await other.after('large', 'a', 30))?.map(({ seq }) => seq)).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40])
      expect(await other.after('large', 'a', 18)).toBeUndefined()
      expect(await other.after('small', 'a', 0)).toEqual([{ seq: 1, data: 'kept' }])
      await events.forget('small')
      expect(await other.after('small', 'a', 0)).toBeUndefined()
    })

    it('of one caller make room only for its own beyond the total size', async () => {
      const { events } = replicas()[2]
      await events.append('of ada', 'a', { seq: 1, data: 'first' }, 'ada')
      await events.append('of ada', 'a', { seq: 2, data: 'second' }, 'ada')
      await events.append('of eve', 'a', { seq: 1, data: '' }, 'eve')
      // 400 sessions, which are newer, and take 400 MB.
      await pool().query(
        `INSERT INTO toolwire.shared_events (session, stream, seq, data, ended, caller)
         SELECT 'of eve ' || n, 'a', 1, repeat('x', 1000000), false, caller
         FROM generate_series(1, 400) AS n, toolwire.shared_events WHERE session = 'of eve'`,
      )
      const other = postgresStores(pool(), { replicas: 3 }).events
      await other.after('of ada', 'a', 0)
      const left = async () =>
        (await pool().query(`SELECT count(*)::int AS n FROM toolwire.shared_events WHERE session LIKE 'of eve _%'`)).rows[0]?.n
      await expect.poll(left).toBeLessThan(280)
      expect(await left()).toBeGreaterThan(260)
      expect((await other.after('of ada', 'a', 0))?.map(({ data }) => data)).toEqual(['first', 'second'])
      expect(faults).toEqual([])
    })

    it('are kept in the table of an earlier version, which had no callers', async () => {
      const [{ events }] = replicas()
      await events.append('before', 'a', { seq: 1, data: '' })
      await pool().query(`
        ALTER TABLE toolwire.shared_events DROP COLUMN caller;
        COMMENT ON FUNCTION toolwire.shared_enter(json, text) IS '5'`)
      await events.append('after', 'a', { seq: 1, data: 'kept' }, 'a\0')
      expect(await events.after('after', 'a', 0)).toEqual([{ seq: 1, data: 'kept' }])
      expect(await events.after('before', 'a', 0)).toHaveLength(1)
    })

    it('are evicted at once for new ones, and the latest stays whatever its size', async () => {
      const { events } = replicas()[1]
      await events.append('first', 'a', { seq: 1, data: '' }) // the first statement removes old rows
      for (let seq = 1; seq <= 40; seq++) await events.append('much', 'a', { seq, data: 'x'.repeat(100_000) })
      const { rows } = await pool().query(
        `SELECT sum(octet_length(data))::int AS n FROM toolwire.shared_events WHERE session = 'much'`,
      )
      expect(rows[0]?.n).toBeLessThan(2_800_000)
      await events.append('much', 'a', { seq: 41, data: 'x'.repeat(3_000_000) })
      expect(await events.after('much', 'a', 40)).toHaveLength(1)
      expect(await events.after('much', 'a', 39)).toBeUndefined()
    })

    it('are read only up to the maximum size, even if an earlier version has left more', async () => {
      const one = pool()
      await one.query(
        `INSERT INTO toolwire.shared_events (session, stream, seq, data, ended)
         SELECT 'left', 'a', n, repeat('x', 100000), false FROM generate_series(1, 40) AS n`,
      )
      let characters = 0
      const query = async (text: string, values?: unknown[]) => {
        const answered = await one.query(text, values)
        if (text.includes('settled')) characters += JSON.stringify(answered.rows).length
        return answered
      }
      expect(await postgresStores({ query }, { replicas: 3 }).events.after('left', 'a', 0)).toBeUndefined()
      expect(characters).toBeLessThan(2_300_000)
    })
  })
})
