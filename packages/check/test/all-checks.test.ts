import { describe, expect, it } from 'vitest'
import { allChecks, allRevisions } from '../src/index.js'
import { specificationPage } from '../src/run-check.js'

const always = ['basic', 'basic/transports', 'server/tools', 'server/utilities/pagination']
const opened = ['basic/lifecycle', 'basic/utilities/cancellation', 'basic/utilities/ping', 'basic/utilities/progress']
const described = [
  'basic/versioning',
  'basic/patterns',
  'basic/patterns/cancellation',
  'basic/patterns/progress',
  'server/discover',
]
/** The pages of the specification that checks may refer to. */
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

describe('The table of checks', () => {
  it('has at least sixty checks that can be tried, each with a unique name', () => {
    expect(allChecks.length).toBeGreaterThanOrEqual(60)
    expect(new Set(allChecks.map(({ id }) => id)).size).toBe(allChecks.length)
  })

  it('has for each check its demand, its page and the way to try it', () => {
    for (const { sentence, page, how, revisions: of, id } of allChecks) {
      expect(id).toMatch(/^[a-z]+(-[a-z0-9]+)+$/)
      expect(sentence).toMatch(/\.$/)
      expect(how).not.toMatch(/\.$/)
      expect(page).not.toBe('')
      expect(of.length).toBeGreaterThan(0)
    }
  })

  it.each(allRevisions.map(({ version }) => version))('has more than forty checks for %s', (version) => {
    expect(allChecks.filter((row) => row.revisions.some((revision) => revision.version === version)).length).toBeGreaterThan(40)
  })

  it.each(allRevisions)('refers to existing pages in $version', (revision) => {
    const named = allChecks.filter((row) => row.revisions.includes(revision)).map(({ page }) => specificationPage(revision, page))
    const known = pages[revision.version]?.map((page) => `${revision.version}/${page}`) ?? []
    expect([...new Set(named)].filter((page) => !known.includes(page))).toEqual([])
  })
})
