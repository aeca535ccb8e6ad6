import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/schema/index.js'
import { corpora, suiteFiles, suiteRemotes } from './corpora.js'

const drafts = [
  { folder: 'draft2020-12', dialect: '2020-12', title: 'JSCH-002 2020-12 is supported as its required suite has it' },
  { folder: 'draft7', dialect: 'draft-07', title: 'JSCH-003 draft-07 is supported as its required suite has it' },
] as const

describe.each(drafts)('$title', ({ folder, dialect }) => {
  const remotes = suiteRemotes(corpora)
  const files = suiteFiles(corpora, folder)
  it.each(files)('$file', ({ groups }) => {
    for (const trusted of [true, false]) {
      for (const group of groups) {
        const compiled = compile(group.schema, { trusted, dialect, remotes })
        for (const test of group.tests) {
          expect(compiled.check(test.data).length === 0, `${group.description}: ${test.description}`).toBe(test.valid)
        }
      }
    }
  })
})

describe('without code generation from strings', () => {
  it('the whole suite passes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'suite-'))
    const outfile = join(folder, 'suite-run.mjs')
    try {
      buildSync({
        entryPoints: [join(import.meta.dirname, 'suite-run.ts')],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
      })
      const printed = execFileSync(process.execPath, ['--disallow-code-generation-from-strings', outfile, corpora], {
        encoding: 'utf8',
      })
      const { groups, failed, evalIsThere } = JSON.parse(printed)
      expect({ failed, evalIsThere }).toEqual({ failed: [], evalIsThere: false })
      expect(groups).toBeGreaterThan(500)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
