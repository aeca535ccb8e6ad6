// A log after months of use: it opens quickly, and all its pages load quickly.
import { describe, expect, it } from 'vitest'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import type { AuditQuery } from '../../src/store/audit/audit-query.js'
import { begin, longLog } from '../support/long-log.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'
import { tamper } from '../support/tampered-log.js'

const records = howMany(120_000, 200_000)
const middle = Math.floor(records / 2)
const queries: { readonly name: string; readonly query: AuditQuery; readonly least: number }[] = [
  { name: 'the newest', query: {}, least: 50 },
  { name: 'the oldest', query: { before: 200 }, least: 50 },
  { name: 'in the middle', query: { before: middle }, least: 50 },
  { name: 'of one caller among a thousand', query: { caller: 'caller 7' }, least: 50 },
  { name: 'of one caller and one tool', query: { caller: 'caller 7', tool: 'tool 8' }, least: 0 },
  { name: 'of one hour, long ago', query: { from: begin + 3_600_000, to: begin + 7_200_000 }, least: 50 },
  { name: 'of the few that failed', query: { outcome: 'error' }, least: 1 },
  { name: 'of what never happened', query: { outcome: 'cancelled', decision: 'refused' }, least: 0 },
  { name: 'that say something', query: { text: 'CALLER 7' }, least: 1 },
  { name: 'that say what none says', query: { text: 'nobody says this' }, least: 0 },
]

describe(`a log of ${records} records`, () => {
  it('opens within three seconds, returns every page within 50 ms, and accepts writes meanwhile', async () => {
    const directory = newDirectory()
    await (await newStore({}, directory)).close()
    tamper(directory, longLog(records))
    const began = performance.now()
    const store = await newStore({}, directory)
    expectWithin(performance.now() - began, 3_000)
    expect(store.audit.head?.sequence).toBe(records)
    for (const { name, query, least } of queries) {
      const times: number[] = []
      for (let n = 0; n < 5; n++) {
        const asked = performance.now()
        let page = await store.audit.search(query)
        times.push(performance.now() - asked)
        // On a slow machine a page ends early, and the next one continues.
        for (let found = page.calls.length; found < least; found += page.calls.length) {
          expect(page.before, name).toBeDefined()
          page = await store.audit.search({ ...query, before: page.before! })
        }
      }
      expectWithin(times.sort((a, b) => a - b)[2], 50, name)
    }
    const searches = queries.map(({ query }) => store.audit.search(query))
    await append(store, intentOf(records))
    await Promise.all(searches)
    expect(store.audit.head?.sequence).toBe(records + 1)
  })
})
