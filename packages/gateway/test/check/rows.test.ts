import { describe, expect, it } from 'vitest'
import { editions, rows } from '../../src/check/index.js'
import { pageIn } from '../../src/check/page-in.js'

const always = ['basic', 'basic/transports', 'server/tools', 'server/utilities/pagination']
const opened = ['basic/lifecycle', 'basic/utilities/cancellation', 'basic/utilities/ping', 'basic/utilities/progress']
const described = [
  'basic/versioning',
  'basic/patterns',
  'basic/patterns/cancellation',
  'basic/patterns/progress',
  'server/discover',
]
/** Those that rows may name. */
const pages: Readonly<Record<string, readonly string[]>> = {
  '2024-11-05': [...always, ...opened, 'basic/messages'],
  '2025-03-26': [...always, ...opened, 'changelog'],
  '2025-06-18': [...always, ...opened, 'changelog', 'schema'],
  '2025-11-25': [...always, ...opened, 'changelog', 'schema'],
  '2026-07-28': [
    ...always,
    ...described,
    ...['basic/transports/streamable-http', 'changelog', 'schema', 'server/utilities/caching'],
  ],
}

describe('The table of demands', () => {
  it('has at least sixty that can be tried, each with a name of its own', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  it('says for each what is demanded, where, and how it is tried', () => {
    for (const { sentence, page, how, editions: of, id } of rows) {
      expect(id).toMatch(/^[a-z]+(-[a-z0-9]+)+$/)
      expect(sentence).toMatch(/\.$/)
      expect(how).not.toMatch(/\.$/)
      expect(page).not.toBe('')
      expect(of.length).toBeGreaterThan(0)
    }
  })

  it.each(editions.map(({ version }) => version))('has more than forty for %s', (version) => {
    expect(rows.filter((row) => row.editions.some((edition) => edition.version === version)).length).toBeGreaterThan(40)
  })

  it.each(editions)('names pages that there are in $version', (edition) => {
    const named = rows.filter((row) => row.editions.includes(edition)).map(({ page }) => pageIn(edition, page))
    const known = pages[edition.version]?.map((page) => `${edition.version}/${page}`) ?? []
    expect([...new Set(named)].filter((page) => !known.includes(page))).toEqual([])
  })
})
