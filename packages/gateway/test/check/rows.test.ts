import { describe, expect, it } from 'vitest'
import { editions, rows } from '../../src/check/index.js'

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
})
