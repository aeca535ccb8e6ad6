import { isDeepStrictEqual } from 'node:util'
import type { Json } from 'toolwire'
import { problem } from '../config-error.js'
import { lineAt } from '../documents/document.js'
import { valueIn } from '../documents/jsonc.js'
import { type Node, type ObjectNode, readTree } from '../documents/jsonc-tree.js'

/** Puts a value at a place in a text of JSON, and leaves every other character as it is: comments, order, blanks, line ends. */
export function setInJson(text: string, path: readonly string[], value: Json): string {
  if (text.trim() === '') return `${JSON.stringify(nested(path, value), undefined, 2)}\n`
  const tree = readTree(text)
  let node = objectAt(tree, text)
  for (const [index, key] of path.entries()) {
    const member = node.members.find((one) => one.key === key)
    const isLast = index === path.length - 1
    if (!member) return insert(text, node, key, nested(path.slice(index + 1), value))
    if (isLast) return replace(text, member.value, member.start, value)
    node = objectAt(member.value, text)
  }
  return text
}

/** Takes a member out, and leaves every other character as it is; the same text where there is none. */
export function removeFromJson(text: string, path: readonly string[]): string {
  const keys = path.slice(0, -1)
  let node: Node | undefined = text.trim() === '' ? undefined : readTree(text)
  for (const key of keys) node = node?.kind === 'object' ? node.members.find((one) => one.key === key)?.value : undefined
  if (node?.kind !== 'object') return text
  const at = node.members.findIndex(({ key }) => key === path.at(-1))
  const member = node.members[at]
  if (!member) return text
  const before = node.members[at - 1]
  const next = node.members[at + 1]
  const comma = commaIn(text, member.value.end, next?.start ?? node.end - 1)
  const lines = wholeLines(text, member.start, comma === undefined ? member.value.end : comma + 1)
  const rest = text.slice(lines.to)
  // A comma before it separates nothing any more, and only some readers take one at the end.
  const last = before && !next ? commaIn(text, before.value.end, lines.from) : undefined
  const head = last === undefined ? text.slice(0, lines.from) : text.slice(0, last) + text.slice(last + 1, lines.from)
  return head + rest
}

/** Where the comma stands between two places, comments apart. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const found = /^(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(from, to))
  return found ? from + found[0].length - 1 : undefined
}

/** With the blanks around it: whole lines where nothing else stands on them. */
function wholeLines(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  const indent = /[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0
  const blanks = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0
  const end = /^\r?\n/.exec(text.slice(to + blanks))?.[0].length
  const begins = text[from - indent - 1] === '\n'
  if (begins && end !== undefined) return { from: from - indent, to: to + blanks + end }
  return { from, to: to + blanks }
}

const nested = (path: readonly string[], value: Json): Json => path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)

function objectAt(node: Node, text: string): ObjectNode {
  if (node.kind === 'object') return node
  throw problem('', 'an object is expected here; correct it first, so that nothing of yours is lost', lineAt(text, node.start))
}

function replace(text: string, node: Node, from: number, value: Json): string {
  if (isDeepStrictEqual(valueIn(node), value)) return text
  const { kind, start, end } = node
  const isShort = kind === 'object' && !text.slice(start, end).includes('\n')
  return text.slice(0, start) + (isShort ? JSON.stringify(value) : written(text, value, indentAt(text, from))) + text.slice(end)
}

/** A new member comes last. Where the object stands on one line, so does the new member. */
function insert(text: string, node: ObjectNode, key: string, value: Json): string {
  const last = node.members.at(-1)
  const inner = text.slice(node.start + 1, node.end - 1)
  const close = node.end - 1 - (/[ \t\r\n]*$/.exec(inner)?.[0].length ?? 0)
  if (last && !inner.includes('\n')) {
    const member = `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    const comma = hasComma(text, last.value.end, close)
    return `${text.slice(0, close)}${comma ? ' ' : ', '}${member}${text.slice(close)}`
  }
  const outer = indentAt(text, node.start)
  const indent = last ? indentAt(text, last.start) : outer + unitOf(text)
  const line = lineEnd(text)
  const member = `${line}${indent}${JSON.stringify(key)}: ${written(text, value, indent)}`
  const tail = inner.trim() === '' && !inner.includes('\n') ? line + outer : text.slice(close, node.end - 1)
  const before = last && !hasComma(text, last.value.end, close) ? withComma(text, last.value.end, close) : text.slice(0, close)
  return before + member + tail + text.slice(node.end - 1)
}

const withComma = (text: string, at: number, end: number): string => `${text.slice(0, at)},${text.slice(at, end)}`

/** Is there a comma after the last member, comments apart? */
const hasComma = (text: string, from: number, to: number): boolean =>
  text
    .slice(from, to)
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
    .includes(',')

function written(text: string, value: Json, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', lineEnd(text) + indent)
}

/** What stands before the first character of a line. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** By how much the text is indented, going by its first indented line. */
const unitOf = (text: string): string => /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  '
const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
