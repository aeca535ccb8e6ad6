import type { Json } from 'toolwire'
import { type JsoncNode, readTree } from '../documents/jsonc-tree.js'
import { parseDocument } from '../documents/read-document.js'
import { Secrets } from '../secrets.js'
import { noteArgument } from '../servers/upstream-config.js'

const context = 2

/** The difference between two texts as one hunk: removed lines, added lines, and some context. */
function textDiff(before: string, after: string): string {
  if (before === after) return ''
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, head - context)
  return [
    `@@ line ${from + 1} @@`,
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + context)),
  ].join('\n')
}

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark}${line}`)

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

/** The difference between two config texts, with masked values of variables, headers and anything like a secret. */
export function maskedDiff(path: string, before: string, after: string): string {
  const secrets = new Secrets()
  for (const text of [before, after].map((one) => one.replace(/^\ufeff/, ''))) {
    if (text.trim() === '') continue
    const { value } = parseDocument(path, text)
    noteTexts(value, '', secrets)
    noteTexts(/\.toml$/i.test(path) ? escaped(value) : writtenValue(readTree(text), text), '', secrets)
  }
  return secrets.maskValues(textDiff(before, after))
}

/** The value with each text and number as the source spells it, because that is what the diff shows. */
function writtenValue(node: JsoncNode, source: string): Json {
  if (node.kind === 'array') return node.items.map((item) => writtenValue(item, source))
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, writtenValue(value, source)]))
  return source.slice(node.start, node.end).replace(/^"|"$/g, '')
}

/** The value with texts as TOML usually spells them. */
const escaped = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (_, item: Json) =>
    typeof item === 'string' ? JSON.stringify(item).slice(1, -1) : typeof item === 'number' ? String(item) : item,
  )

const secretPlaces = /^(env|environment|headers|http_headers)$/

function noteTexts(value: Json | undefined, name: string, secrets: Secrets, isSecret = false): void {
  if (typeof value === 'string' && isSecret) secrets.header(name, value)
  else if (typeof value === 'string') secrets.consider(name, value)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value))
    for (const [at, word] of value.entries()) {
      const before = value[at - 1]
      if (typeof word === 'string') noteArgument(word, typeof before === 'string' ? before : undefined, secrets)
    }
  for (const [key, item] of Object.entries(value))
    noteTexts(item, Array.isArray(value) ? '' : key, secrets, isSecret || secretPlaces.test(name))
}
