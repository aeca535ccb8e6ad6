// Searches whose time is over at once: each page is short, and all pages together find everything.
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { callSearch } from '../../src/store/database/audit/call-search.js'
import { openDatabase } from '../../src/store/database/connection.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'

it('each page of a search proceeds, however slow the machine is', async () => {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  for (let n = 0; n < 20; n++) await append(store, intentOf(n), outcomeOf(n))
  // A search puts the new records into the index.
  const { calls: all } = await store.audit.search({})
  expect(all).toHaveLength(20)
  await store.close()

  const db = openDatabase(join(directory, 'toolwire.db'))
  const { search } = callSearch(db)
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1_000
    return now
  })
  try {
    for (const limit of [1, 7, 50]) {
      const found = []
      let before: number | undefined = Number.MAX_SAFE_INTEGER
      while (before !== undefined) {
        const page = search({ limit, before })
        found.push(...page.calls)
        if (page.before !== undefined) expect(page.before).toBeLessThan(before)
        before = page.before
      }
      expect(found).toEqual(all)
    }
    expect(search({ before: 0 })).toEqual({ calls: [] })
  } finally {
    clock.mockRestore()
    db.close()
  }
})
