import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatWithOptions } from 'node:util'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundle, complaints, examplesIn, type Snippet, snippetsIn, writeOut } from './snippets.js'

const folder = fileURLToPath(new URL('../../node_modules/.cache/snippets', import.meta.url))
const onOneLine = { breakLength: Number.POSITIVE_INFINITY, compact: true }
const snippets = snippetsIn(folder)

describe('the code in the documentation', () => {
  let moduleOf: (snippet: Snippet) => string

  beforeAll(async () => {
    writeOut(snippets, folder)
    moduleOf = await bundle(
      snippets.filter(({ runs }) => runs),
      folder,
    )
  })
  afterEach(() => vi.restoreAllMocks())

  // All snippets compile together, because most of the time goes into reading the library.
  it('compiles in strict mode, like the examples in the comments of the library', () => {
    const examples = examplesIn(`${folder}-examples`)
    writeOut(examples, `${folder}-examples`)
    expect(snippets.length).toBeGreaterThan(30)
    expect(examples.length).toBeGreaterThan(90)
    expect(complaints([...snippets, ...examples], folder)).toBe('')
  })

  it('runs on Node 20: clients are closed by name, because `await using` is newer', () => {
    expect(snippets.filter(({ code }) => /^[^/]*\busing \w+ =/m.test(code)).map(({ place }) => place)).toEqual([])
  })

  it.for(
    snippets.filter((snippet) => snippet.runs).map((snippet) => [snippet.place, snippet] as const),
  )('%s runs and prints what it says', async ([, snippet]) => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((...values) => void printed.push(formatWithOptions(onOneLine, ...values)))
    await import(pathToFileURL(moduleOf(snippet)).href)
    expect(printed).toEqual(snippet.prints)
  })
})
