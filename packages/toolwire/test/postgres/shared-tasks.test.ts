import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json.js'
import { type TaskLease, type TaskLeases, taskLeaseMs } from '../../src/server/tasks/task-leases.js'
import type { TaskRecord, TaskStore } from '../../src/server/tasks/task-store.js'
import { postgresFound } from '../postgres-server.js'
import { faults } from '../reported-faults.js'
import { able, accept, Rounder } from '../server/questions/rounds.js'
import { large, taskRoomSuite } from '../server/tasks/task-room-suite.js'
import { type Task, working } from '../server/tasks/tasks.js'
import { howMany } from '../soak.js'
import { memorySharedTasks } from './memory-stores.js'
import { postgresReplicas, type Replicas } from './over-stores.js'

const extended = { ...able, extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** A replica of the server, and a client of it. */
function replica(taskStore: TaskStore) {
  const { app, done, aborted } = working({ taskStore })
  const rounder = new Rounder(app, { caller: { id: 'ada\0' }, capabilities: extended })
  const of =
    (method: string) =>
    async (taskId: string, more: JsonObject = {}) =>
      (await rounder.send(method, { taskId, ...more })).result as Task
  return {
    done,
    aborted,
    start: async (name: string) => (await rounder.call(name, { arguments: {} })).result as Task,
    get: of('tasks/get'),
    cancel: of('tasks/cancel'),
    update: (taskId: string, inputResponses: JsonObject) => of('tasks/update')(taskId, { inputResponses }),
  }
}

let count = 0
const newRecord = (): TaskRecord => ({
  taskId: `task ${++count}`,
  owner: `ada ${count}`,
  tool: 'wait',
  wrapped: false,
  createdAt: new Date().toISOString(),
  lastUpdatedAt: new Date().toISOString(),
  ttlMs: 3_600_000,
  status: 'working',
  questions: {},
})

const leasesOf = ({ leases }: TaskStore): TaskLeases => {
  if (!leases) throw new Error('This store has no leases')
  return leases
}

/** Simulates that the replica with the task died some time ago. */
type Expire = (taskId: string) => Promise<void>

function suite(stores: Replicas<TaskStore>, expire: Expire): void {
  it('are cancelled by any replica, and the one that runs them stops', async () => {
    const [a, b, c] = stores().map(replica) as [
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
    ]
    const { taskId } = await a.start('wait')
    expect((await b.get(taskId)).status).toBe('working')
    await b.cancel(taskId)
    for (const one of [a, b, c]) expect((await one.get(taskId)).status).toBe('cancelled')
    await expect.poll(() => a.aborted.length).toBe(1)
    a.done('too late')
    for (const one of [a, b, c]) expect((await one.get(taskId)).status).toBe('cancelled')
  })

  it('accept answers through any replica', async () => {
    const [a, b, c] = stores().map(replica) as [
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
    ]
    const { taskId } = await a.start('pair')
    const asked = async () => Object.keys(((await b.get(taskId)).inputRequests as object | undefined) ?? {}).sort()
    await expect.poll(asked).toEqual(['who', 'whom'])
    await c.update(taskId, { who: accept({ name: 'Ada' }), unasked: accept({ name: 'Eve' }) })
    await expect.poll(asked).toEqual(['whom'])
    await b.update(taskId, { whom: accept({ name: 'Bob\0' }), who: accept({ name: 'Eve' }) })
    await expect.poll(async () => (await c.get(taskId)).status).toBe('completed')
    expect((await b.get(taskId)).result).toMatchObject({ content: [{ text: expect.stringContaining('Ada and Bob') }] })
  })

  it('fail with outcome_unknown after their replica died, and its late result is ignored', async () => {
    const [a, b, c] = stores().map(replica) as [
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
      ReturnType<typeof replica>,
    ]
    const { taskId } = await a.start('wait')
    await expire(taskId)
    const lost = await b.get(taskId)
    expect(lost).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/^outcome_unknown/) } })
    a.done('too late')
    await expect.poll(() => a.aborted.length).toBe(1)
    for (const one of [a, b, c]) expect(await one.get(taskId)).toMatchObject({ status: 'failed', error: lost.error })
    await c.cancel(taskId)
    expect((await a.get(taskId)).status).toBe('failed')
  })

  it('have one writer, for any interleaving of three replicas', async () => {
    const steps = fc.array(
      fc.record({
        replica: fc.integer({ min: 0, max: 2 }),
        act: fc.constantFrom('write', 'finish', 'end', 'expire', 'get', 'renew'),
      }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (taken, atOnce) => {
        const record = newRecord()
        const all = stores()
        const lease = await leasesOf(all[0]).begin(record)
        const acts = taken.map(
          ({ replica: at, act }) =>
            () =>
              actOn(all[at as 0 | 1 | 2], record, lease, act),
        )
        const results: string[] = []
        if (atOnce) results.push(...(await Promise.all(acts.map((act) => act()))))
        else for (const act of acts) results.push(await act())
        const ended = results.filter((one) => one === 'finished' || one === 'ended')
        expect(ended.length).toBeLessThanOrEqual(1)
        const seen = await Promise.all(all.map((store) => store.get(record.taskId)))
        const statuses = new Set(seen.map((one) => one?.status))
        if (ended.length === 1) expect([...statuses]).toEqual([ended[0] === 'finished' ? 'completed' : 'cancelled'])
        // A finished task is also finished for its former owner.
        if (!statuses.has('working')) {
          expect(await leasesOf(all[1]).write({ ...record, status: 'completed' }, lease)).toBe(false)
          expect(await leasesOf(all[2]).end({ ...record, status: 'cancelled' })).toBe(false)
          expect(await leasesOf(all[0]).look([lease])).toEqual([{ taskId: record.taskId, held: false, answers: {} }])
        }
        expect((await all[2].list(record.owner)).map(({ taskId }) => taskId)).toEqual([record.taskId])
      }),
      { numRuns: howMany(25, 200) },
    )
  })

  async function actOn(store: TaskStore, record: TaskRecord, lease: TaskLease, act: string): Promise<string> {
    const leases = leasesOf(store)
    switch (act) {
      case 'write':
        return String(await leases.write({ ...record, statusMessage: 'on its way' }, lease))
      case 'finish':
        return (await leases.write({ ...record, status: 'completed' }, lease)) ? 'finished' : 'late'
      case 'end':
        return (await leases.end({ ...record, status: 'cancelled' })) ? 'ended' : 'late'
      case 'expire':
        await expire(record.taskId)
        return 'expired'
      case 'renew':
        await leases.renew([lease])
        return 'renewed'
      default:
        return String((await store.get(record.taskId))?.status)
    }
  }
}

describe('shared tasks', () => {
  describe('in memory', () => {
    let now = 0
    const store = memorySharedTasks(() => now)
    // All replicas share one clock, so leases are renewed at the same moment.
    suite(
      () => [store, store, store],
      async () => {
        now += taskLeaseMs
      },
    )
  })

  describe.runIf(postgresFound)('in PostgreSQL', () => {
    const { replicas, pool, server } = postgresReplicas()
    suite(
      () => replicas().map(({ tasks }) => tasks) as unknown as ReturnType<Replicas<TaskStore>>,
      async (taskId) => {
        await pool().query(
          "UPDATE toolwire.shared_tasks SET leased_until = clock_timestamp() - interval '1 second' WHERE id = $1",
          [taskId],
        )
      },
    )

    taskRoomSuite(() => replicas()[0].tasks)

    it('with large results also free their room for the next', async () => {
      const { tasks } = replicas()[1]
      for (let at = 0; at < 20; at++) {
        const done = large(`ended ${at}`, 'cy')
        const { outcome: _, ...begun } = { ...done, status: 'working' as const }
        const lease = await leasesOf(tasks).begin(begun)
        expect(await leasesOf(tasks).write(done, lease)).toBe(true)
      }
      const left = (await tasks.list('cy')).map(({ taskId }) => taskId)
      expect([left.length, left.at(-1)]).toEqual([15, 'ended 19'])
    })

    it('have a lease that is renewed while they run', async () => {
      const one = replica(replicas()[0].tasks)
      const { taskId } = await one.start('wait')
      const database = pool()
      const until = async () =>
        (await database.query('SELECT leased_until::text AS until FROM toolwire.shared_tasks WHERE id = $1', [taskId])).rows[0]
          ?.until
      const first = await until()
      await expect.poll(until).not.toBe(first)
      one.done('done')
      await expect.poll(async () => (await one.get(taskId)).status).toBe('completed')
    })

    it('lose no progress during an outage of the database', async () => {
      const [a, b] = replicas().map(({ tasks }) => replica(tasks)) as [ReturnType<typeof replica>, ReturnType<typeof replica>]
      const { taskId } = await a.start('wait')
      await server().kill()
      a.done('done meanwhile')
      await expect.poll(() => faults.length).toBeGreaterThan(0)
      await server().start()
      await expect.poll(async () => (await b.get(taskId)).status).toBe('completed')
      expect((await b.get(taskId)).result).toMatchObject({ content: [{ text: 'done meanwhile' }] })
    })
  })
})
