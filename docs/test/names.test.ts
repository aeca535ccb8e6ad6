// The pages name only existing exports. The test compares three kinds of names with docs/reference/api.md: capitalized names, calls,
// and camel-case names that a source file exports but no entry does. CI compares api.md itself with the entries.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => join(folder, name))

const pages = [
  ...['README.md', 'SECURITY.md', 'docs/rough-edges.md'],
  ...['toolwire', 'gateway', 'check'].map((name) => `packages/${name}/README.md`),
  ...filesIn('docs/guides', '.md'),
  ...filesIn('docs/reference', '.md').filter((name) => !name.endsWith('api.md')),
]

const api = textOf('docs/reference/api.md')
const exported = new Set([...api.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name))
const members = new Map(
  [...api.matchAll(/^Members of `(\w+)`: (.*)\.$/gm)].map(([, name = '', list = '']) => [name, new Set(list.match(/\w+/g))]),
)

const sources = filesIn('packages/toolwire/src', '.ts').map(textOf)
const everyMatch = (pattern: RegExp): Set<string> =>
  new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))
/** Names that a file exports for other files of the library. */
const internal = everyMatch(/^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm)
/** Names of methods, options and fields. */
const fields = everyMatch(/^ +(?:readonly |async |static |get )*(\w+)\??(?:<[^>]*>)?(?:: |\([^)]*\): |\($)/gm)

// This is also the name of a setting of the gateway.
members.delete('approvals')

/** Headers, types of the language, exports of the other packages, and examples. */
const known = new Set([
  ...['Accept', 'Allow', 'Authorization', 'Bearer', 'Forwarded', 'Host', 'Origin', 'Via'],
  ...['T', 'TypeError', 'Promise', 'Uint8Array', 'Map', 'Pool'],
  ...['runGateway', 'startGateway', 'runCheck', 'howTo', 'query', 'run'],
  ...['Delete_all', 'MemoryDenyWriteExecute'],
])

/** The names in the code of a page, outside of blocks. */
function namesIn(page: string): string[] {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => {
    const [, type] = /^([A-Z]\w*[a-z]\w*|[A-Z])(?:<.*>)?$/.exec(code) ?? []
    if (type !== undefined) return code.match(/(?<![\w'])[A-Z]\w*/g) ?? []
    const [, call] = /^(\w+)\(/.exec(code) ?? []
    if (call !== undefined) return fields.has(call) ? [] : [call]
    return /^[a-z]+[A-Z]\w*$/.test(code) && internal.has(code) && !fields.has(code) ? [code] : []
  })
}

describe('the names in', () => {
  it.each(pages)('%s are exported', (page) => {
    const wrong = namesIn(page).filter((name) => !exported.has(name) && !known.has(name))
    expect(wrong).toEqual([])
  })

  it.each(pages)('%s are members of their namespace', (page) => {
    const qualified = [...textOf(page).matchAll(/`(\w+)\.(\w+)/g)].filter(([, name = '']) => members.has(name))
    const wrong = qualified.filter(([, name = '', member = '']) => !members.get(name)?.has(member))
    expect(wrong.map(([text]) => text)).toEqual([])
  })
})

describe('the table of the context', () => {
  const [, section = ''] = textOf('docs/reference/options.md').split('\n## The context\n')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell)
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name = '']) => name))
  const [, declared = ''] =
    /^export interface Context<[\s\S]*?\{\n([\s\S]*?)^\}/m.exec(textOf('packages/toolwire/src/tools/context.ts')) ?? []
  const context = [...declared.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) => name)

  it('names members of the context', () => {
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !context.includes(name))).toEqual([])
  })

  it('names every member, except those for relays', () => {
    expect(context.filter((name) => !named.includes(name))).toEqual(['holdHere', 'recheck'])
  })
})
