// Each command line in the documentation works as typed: the command and its options exist.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkCommand } from '@toolwire/check'
import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../src/cli/parse-command.js'
import { commandSpecs } from '../../src/cli/specs/index.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const folders = ['docs', 'docs/guides', 'docs/reference', 'packages/check', 'packages/gateway', 'packages/toolwire']
const pages = ['README.md', ...folders.flatMap((folder) => inFolder(folder))]

function inFolder(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.map((name) => join(folder, name))
}

type Line = { readonly place: string; readonly words: readonly string[] }

/** The lines of shell blocks that run toolwire, after variables and `npx`. `tw` is a helper of a guide for `toolwire`. */
function linesOf(page: string): Line[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n')
  let inShell = false
  return lines.flatMap((text, at) => {
    if (text.startsWith('```')) inShell = text.startsWith('```sh')
    const [, program = '', typed] =
      /^(?:\w+=\S+ )*(tw|toolwire(?:-check)?|npx @toolwire\/(?:gateway|check)) (.*)$/.exec(text) ?? []
    if (!inShell || typed === undefined) return []
    const words = wordsOf(typed)
    return [{ place: `${page}:${at + 1}`, words: program.endsWith('check') ? ['check', ...words] : words }]
  })
}

/** The words of a line without variables, up to a comment, a pipe or a redirection. */
function wordsOf(typed: string): string[] {
  const [plain = ''] = /^(?:'[^']*'|"(?:\\.|[^"\\])*"|<[a-z]+>|[^'"#|>&])*/.exec(typed) ?? []
  return [...plain.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ''))
}

const lines = pages.flatMap(linesOf)
const check = checkCommand({ name: 'toolwire check', exit: () => {}, open: () => ({ print: () => {} }) })

describe('a documented command line', () => {
  it('is found on the expected pages', () => {
    expect(lines.length).toBeGreaterThan(60)
  })

  it.each(lines.filter(({ words: [first] }) => first !== 'check'))('$place is valid: toolwire $words', async ({ words }) => {
    expect(await parseCommand(words)).toMatchObject({ load: expect.any(Function) })
  })

  it.each(lines.filter(({ words: [first] }) => first === 'check'))('$place is valid: toolwire $words', ({ words }) => {
    const own = words.slice(1)
    expect(check.parseOptions(own.slice(0, own.includes('--') ? own.indexOf('--') : own.length)).unknown).toEqual([])
  })
})

describe('the guides', () => {
  const guides = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
  const names = commandSpecs.map(({ name }) => name)

  it.each(names)('show the command %s', (name) => {
    expect(guides).toMatch(new RegExp(`\\btoolwire ${name}\\b|^toolwire ${name}\\b|\`${name}\``, 'm'))
  })
})

describe('the check page', () => {
  const page = readFileSync(join(root, 'docs/guides/check.md'), 'utf8')
  const { options } = check

  it.each(options.map(({ flags }) => flags))('documents the option %s', (flags) => {
    expect(page).toContain(`| \`${flags}\` |`)
  })

  it('offers the same options as completion', () => {
    const everywhere = ['--json', '--quiet', '--no-color', '--debug']
    const completed = commandSpecs.find(({ name }) => name === 'check')?.options?.map(([flags]) => flags) ?? []
    expect([...completed, ...everywhere].sort()).toEqual(options.map(({ flags }) => flags).sort())
  })
})
