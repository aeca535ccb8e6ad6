// Places that are counted in a database that fails late. No database is needed for them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RunSql } from '../../src/postgres/database.js'
import { sharedTurns } from '../../src/postgres/shared-turns.js'
import '../reported-faults.js'

const leaseMs = 10_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A replica with one place. `fails` says whether a renewal is silent for four seconds. */
async function holding(fails: (renewal: number) => boolean) {
  const held: number[] = []
  let renewals = 0
  const sql: RunSql = async (text) => {
    if (text.trim().startsWith('UPDATE')) {
      renewals++
      if (fails(renewals)) {
        await new Promise((resolve) => setTimeout(resolve, 4_000))
        throw new Error('PostgreSQL has not answered for 4 s')
      }
    }
    held.push(performance.now())
    return [{ entered: true }] as never
  }
  const leave = await sharedTurns(sql).enter([{ key: 'a', most: 1 }])
  return {
    longestGap: () => Math.max(...held.slice(1).map((at, index) => at - (held[index] ?? at))),
    renewals: () => renewals,
    leave,
  }
}

it('a place outlasts a renewal that takes too long', async () => {
  const { longestGap, leave } = await holding((renewal) => renewal % 3 === 0)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(longestGap()).toBeLessThan(leaseMs - 2_000)
  await leave?.()
  await vi.advanceTimersByTimeAsync(10_000)
})

it('renewals keep their pace once the lease is over', async () => {
  const { renewals, leave } = await holding(() => true)
  await vi.advanceTimersByTimeAsync(20_000)
  const before = renewals()
  await vi.advanceTimersByTimeAsync(70_000)
  expect(renewals() - before).toBe(10)
  await leave?.()
  await vi.advanceTimersByTimeAsync(10_000)
})
