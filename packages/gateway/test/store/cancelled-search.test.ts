// Searches in PostgreSQL whose statements are cancelled, because the database is slow. No database is needed for them.
import { expect, it, vi } from 'vitest'
import type { AuditPage, AuditQuery } from '../../src/store/audit/audit-query.js'
import { searchCalls } from '../../src/store/postgres/audit/search-calls.js'
import type { Sql } from '../../src/store/postgres/connection.js'
import { StoreFailure } from '../../src/store/store-failure.js'

const positions = 100_000

type SlowLog = {
  /** The largest window that the database searches in time. */
  readonly mostPositions: number
  readonly found?: readonly number[]
  readonly code?: string
}

/** A log in which a statement over too large a window is cancelled. Returns the windows that were asked for, too. */
function slowLog({ mostPositions, found = [], code = 'POSTGRES_SILENT' }: SlowLog) {
  const windows: number[] = []
  const sql = (async (text: string, values: readonly number[] = []) => {
    if (text.includes('min(position)')) return [{ lowest: 1, highest: positions }]
    const [bottom = 0, top = 0, limit = 0] = values
    windows.push(top - bottom + 1)
    if (top - bottom + 1 > mostPositions) throw new StoreFailure('PostgreSQL has not answered for 4 s', code)
    return found
      .filter((position) => position >= bottom && position <= top)
      .slice(0, limit)
      .map((sequence) => ({ sequence }))
  }) as unknown as Sql
  // All other statements take no time.
  function search(query: AuditQuery): Promise<AuditPage> {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    return searchCalls(sql, query).finally(() => clock.mockRestore())
  }
  return { windows, search }
}

const sequences = ({ calls }: AuditPage) => calls.map(({ sequence }) => sequence)

it('a search whose first window takes too long searches a smaller one, and proceeds', async () => {
  const { search, windows } = slowLog({ mostPositions: 5_000, found: [96_000, 95_000, 500] })
  const first = await search({ limit: 10 })
  expect(sequences(first)).toEqual([96_000])
  expect(windows.slice(0, 2)).toEqual([20_000, 5_000])
  expect(first.before).toBe(95_001)
  const all: number[] = []
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page: AuditPage = await search({ limit: 10, before })
    expect(page.before ?? 0).toBeLessThan(before)
    all.push(...sequences(page))
    before = page.before
  }
  expect(all).toEqual([96_000, 95_000, 500])
})

it('a search returns the calls found before a window that takes too long', async () => {
  const { search, windows } = slowLog({ mostPositions: 20_000, found: [99_000, 98_000, 70_000] })
  const page = await search({ limit: 10 })
  expect(windows).toEqual([20_000, 80_000])
  expect(sequences(page)).toEqual([99_000, 98_000])
  expect(page.before).toBe(80_001)
})

it('a search fails if a thousand positions take too long', async () => {
  const { search, windows } = slowLog({ mostPositions: 999 })
  await expect(search({})).rejects.toThrow('PostgreSQL has not answered')
  expect(windows).toEqual([20_000, 5_000, 1_250, 1_000])
})

it('a search is not repeated after another failure', async () => {
  const { search, windows } = slowLog({ mostPositions: 0, code: 'POSTGRES' })
  await expect(search({})).rejects.toThrow('PostgreSQL has not answered')
  expect(windows).toEqual([20_000])
})
