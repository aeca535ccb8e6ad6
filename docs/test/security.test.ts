// The page that maps obligations to policies is complete, and the files and tests that it names exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guard, pin } from 'toolwire/guard'
import { observe } from 'toolwire/observe'
import { rules } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'

const docs = fileURLToPath(new URL('..', import.meta.url))
const page = join(docs, 'security.md')

type Row = { readonly id: string; readonly does: string; readonly shown: string }
type Shown = { readonly file: string; readonly titles: readonly string[] }

const rows: Row[] = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]+-\d/.test(line))
  .map((line) => {
    const [, id = '', , , , does = '', shown = '', ...more] = line.split('|').map((cell) => cell.trim())
    expect(more, `${id} has as many cells as the head`).toEqual([''])
    return { id, does, shown }
  })

const linksIn = (cell: string) => [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => join(dirname(page), path))

/** The linked test files of a cell, with the titles after each link. */
const shownIn = (cell: string): Shown[] =>
  [...cell.matchAll(/\]\(([^)]+)\)((?:,? `[^`]+`)*)/g)].map(([, path = '', titles = '']) => ({
    file: join(dirname(page), path),
    titles: [...titles.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title),
  }))

/** True if the source has the whole title as a string literal. */
const holds = (source: string, title: string) =>
  [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))

/** The number of obligations of each area. */
const areas = { TANN: 6, AUTHS: 17, SECS: 8, SECC: 10, UX: 8, PKT: 10 }

describe('the page on security', () => {
  it.each(Object.entries(areas))('names every obligation of %s', (area, count) => {
    const wanted = Array.from({ length: count }, (_, at) => `${area}-${String(at + 1).padStart(3, '0')}`)
    expect(rows.filter(({ id }) => id.startsWith(`${area}-`)).map(({ id }) => id)).toEqual(wanted)
  })

  it('names each obligation only once', () => {
    expect(rows.map(({ id }) => id)).toEqual([...new Set(rows.map(({ id }) => id))])
  })

  it.each(rows)('$id links to existing files', ({ does }) => {
    expect(linksIn(does).filter((file) => !existsSync(file))).toEqual([])
  })

  it('names for each class of attack the files against it, and tests that show it', () => {
    const lines = readFileSync(page, 'utf8').split('## Classes of attack')[1]?.split('\n').slice(7) ?? []
    const classes = lines.filter((line) => line.startsWith('| ')).map((line) => line.split('|'))
    expect(classes.length).toBeGreaterThan(10)
    const enforced = classes.map((cells) => linksIn(cells[3] ?? ''))
    expect(enforced.filter((files) => files.length === 0)).toEqual([])
    expect(enforced.flat().filter((file) => !existsSync(file))).toEqual([])
    const shown = classes.map((cells) => shownIn(cells[4] ?? ''))
    expect(shown.filter((tests) => tests.length === 0)).toEqual([])
    for (const { file, titles } of shown.flat()) {
      const source = readFileSync(file, 'utf8')
      expect(titles, file).not.toEqual([])
      expect(titles.filter((title) => !holds(source, title))).toEqual([])
    }
  })

  it.each(rows.filter(({ shown }) => shown !== '–'))('$id links to existing tests, which name it', ({ id, shown }) => {
    const all = shownIn(shown)
    expect(all).not.toEqual([])
    const sources = all.map(({ file, titles }) => ({ source: readFileSync(file, 'utf8'), titles }))
    expect(sources.flatMap(({ source, titles }) => titles.filter((title) => !holds(source, title)))).toEqual([])
    expect(all.filter(({ titles }) => titles.length === 0)).toEqual([])
    expect(sources.some(({ source }) => source.includes(id))).toBe(true)
  })

  it.each(rows.filter(({ shown }) => shown === '–'))('$id says why no test covers it', ({ does }) => {
    expect(does).toMatch(/^(not here: |nothing )/)
  })
})

describe('the page on security, for user interfaces', () => {
  const programs = ['packages/console/test', 'packages/gateway/test'].map((folder) => join(docs, '..', folder))
  const titles = programs.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\bUX-\d{3}\b/g) ?? []),
  )

  it.each([...new Set(titles)].sort())('%s is not left to hosts, because the gateway or its console fulfils it', (id) => {
    expect(rows.find((row) => row.id === id)?.does).not.toMatch(/^not here/)
  })
})

describe('the guide on guard', () => {
  it('lists the policies in the order in which they run', () => {
    const text = readFileSync(join(docs, 'guides/guard.md'), 'utf8')
    const listed = [...text.matchAll(/^\d+\. ((?:`\w+`(?:, )?)+):/gm)].flatMap(([, some = '']) =>
      [...some.matchAll(/\w+/g)].map(([word]) => word),
    )
    const all: Parameters<typeof guard>[0] = {
      ...{ observe: observe(), pin: pin(), rules: rules({ rules: [] }) },
      ...{ approve: { ask: () => 'deny' }, concurrency: {} },
    }
    const names = guard(all, [{ name: 'policies' }]).map(({ name }) => (name === 'rate-limit' ? 'rateLimit' : name))
    expect(listed).toEqual(names)
  })
})
