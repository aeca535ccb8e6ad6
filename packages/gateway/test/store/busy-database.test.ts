// A database that answers, but is busy with other jobs. No database is needed for these tests.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Postgres, Sql } from '../../src/store/postgres/connection.js'
import { openPostgresClient } from '../../src/store/postgres/postgres-client.js'

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client whose heartbeats and looks succeed at once. */
async function openClient() {
  const sql = (async (text: string) => {
    if (text.includes('pg_current_snapshot')) return [{ kind: 'now', one: '1' }]
    return [{ startedAt: 0, isNew: false, nowMs: Date.now(), orphans: false, newestConfig: null }]
  }) as unknown as Sql
  const postgres: Postgres = { sql, transaction: (work) => work(sql), close: async () => undefined }
  const client = await openPostgresClient({
    ...{ postgres, control: postgres, replica: { id: 'one', name: 'here', version: '1' } },
    ...{ listen: async () => undefined, onNote: () => undefined, wall: Date.now },
  })
  const close = () => Promise.all([client.close(), vi.advanceTimersByTimeAsync(60_000)])
  return { runJob: client.runJob, close }
}

/** The end of a job, and the time that its caller has waited. */
async function ended(job: Promise<unknown>) {
  const began = performance.now()
  const end = await job.then(String, (thrown: Error) => thrown.message)
  return { end, ms: performance.now() - began }
}

it('a job that gets no turn is refused as such within five seconds, and never runs', async () => {
  const client = await openClient()
  const others = Array.from({ length: 7 }, () => ended(client.runJob(() => after(4_000))))
  let hasRun = false
  const last = ended(
    client.runJob(async () => {
      hasRun = true
    }),
  )
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await last).toMatchObject({ end: expect.stringMatching(/^PostgreSQL is busy: 7 jobs/) })
  expect((await last).ms).toBeLessThan(5_000)
  expect((await Promise.all(others)).map(({ end }) => end)).toEqual(Array.from({ length: 7 }, () => 'undefined'))
  await client.close()
  expect(hasRun).toBe(false)
})

it('a job that gets its turn late has time to end, and its caller still learns within five seconds that it does not', async () => {
  const client = await openClient()
  for (let count = 0; count < 7; count++) void ended(client.runJob(() => after(1_900)))
  const [quick, silent] = [ended(client.runJob(() => after(2_400))), ended(client.runJob(() => after(20_000)))]
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await quick).toMatchObject({ end: 'undefined', ms: 4_300 })
  expect(await silent).toMatchObject({ end: expect.stringContaining('PostgreSQL has not answered for 2.6 s') })
  expect((await silent).ms).toBeLessThan(5_000)
  await client.close()
})
