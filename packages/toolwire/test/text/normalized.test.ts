import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scan } from '../../src/policy/scan/index.js'
import { foldName } from '../../src/text/folded-text.js'
import { normalized } from '../../src/text/normalized.js'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }))

describe('normalized text', () => {
  it('matches the native normalization, unless a letter has more than 30 marks', () => {
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom(...forms), (pieces, form) => {
        const text = pieces.join(' ')
        expect(normalized(text, form)).toBe(text.normalize(form))
      }),
    )
    const many = `a${'\u0301\u0316'.repeat(40)}`
    for (const form of forms)
      expect(
        normalized(many, form)
          .match(/\p{M}+/u)?.[0]
          .split('\u034f')
          .map((run) => run.length),
      ).toEqual(expect.arrayContaining([30, 30]))
  })

  // The native function takes minutes for each of these.
  it.each(['\u0301\u0316', '\uff9e\u0316'])('takes no longer for many marks after a letter', (marks) => {
    const text = `a${marks.repeat(100_000)}`
    for (const form of forms) expect(normalized(text, form).length).toBeGreaterThan(100_000)
    expect(foldName(text).length).toBeGreaterThan(100_000)
    expect(scan({ name: 'a', description: text, inputSchema: { type: 'object' } })).toBeDefined()
  })

  it('is used wherever untrusted text is normalized', () => {
    const own = /\.normalize\('NF/
    const folders = ['toolwire', 'gateway', 'check', 'console'].map((name) => new URL(`../../../${name}/src/`, import.meta.url))
    const found = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && own.test(readFileSync(new URL(file, folder), 'utf8')))
        .map((file) => file.replaceAll('\\', '/')),
    )
    // These files normalize one character at a time, and a name of limited length.
    expect(found).toEqual(['text/folded-text.ts', 'config/servers/server-id.ts'])
  })
})
