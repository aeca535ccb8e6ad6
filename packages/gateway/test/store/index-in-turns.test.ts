// A log that is not indexed yet, after an upgrade or a copy: searches wait for the index, and nothing else does.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import type { AuditCall, AuditPage } from '../../src/store/audit/audit-query.js'
import { openDatabase } from '../../src/store/database/connection.js'
import { jobBatches } from '../../src/store/database/thread/job-batches.js'
import type { JobResponse } from '../../src/store/database/thread/messages.js'
import type { Store } from '../../src/store/store.js'
import { longLog } from '../support/long-log.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'
import { read, tamper } from '../support/tampered-log.js'

/** A directory with a log that no search has read. */
async function unindexed(records: number): Promise<string> {
  const directory = newDirectory()
  await (await newStore({}, directory)).close()
  tamper(
    directory,
    `${longLog(records)}; DELETE FROM calls; DELETE FROM stretches; UPDATE state SET value = 0 WHERE name = 'indexed'`,
  )
  return directory
}

async function allCalls(store: Store): Promise<AuditCall[]> {
  const found: AuditCall[] = []
  let page: AuditPage = await store.audit.search({ limit: 1_000 })
  for (;;) {
    found.push(...page.calls)
    if (page.before === undefined) return found
    page = await store.audit.search({ limit: 1_000, before: page.before })
  }
}

it('an append does not wait for the index, and a search finds every call of it', async () => {
  const records = howMany(40_000, 100_000)
  const directory = await unindexed(records)
  const store = await newStore({}, directory)
  const searched = Promise.all([
    allCalls(store),
    store.audit.callOf(`call-${records / 2}`),
    store.audit.retain({ records: records * 2 }),
  ])
  await append(store, intentOf(0))
  const [{ indexed } = {}] = read(directory, `SELECT CAST(value AS INTEGER) AS indexed FROM state WHERE name = 'indexed'`)
  expect(indexed).toBeLessThan(records)
  const [found, last] = await searched
  expect(new Set(found.map(({ call }) => call)).size).toBe(records / 2 + 1)
  expect(last).toMatchObject({ sequence: records - 1, ended: records })
})

it('a search reports progress while it waits, and is not answered after the end', async () => {
  const directory = await unindexed(10_000)
  const db = openDatabase(join(directory, 'toolwire.db'))
  const said: JobResponse[] = []
  const batches = jobBatches(db, (answer) => said.push(answer))
  batches.add({ id: 1, job: 'search', args: [{}], skew: 0 })
  await expect.poll(() => said.at(-1)).toMatchObject({ value: { calls: expect.any(Array) } })
  expect(said.slice(0, -1).length).toBeGreaterThan(1)
  expect(said.slice(0, -1)).toEqual(said.slice(0, -1).map(() => ({ id: 1, progress: 0 })))

  db.exec(`UPDATE state SET value = 0 WHERE name = 'indexed'`)
  batches.add({ id: 2, job: 'search', args: [{}], skew: 0 })
  batches.close()
  db.close()
  const until = said.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(said.slice(until)).toEqual([])
})
