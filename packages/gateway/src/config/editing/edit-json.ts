import { isDeepStrictEqual } from 'node:util'
import type { Json } from 'toolwire'
import { problem } from '../config-error.js'
import { lineAt } from '../documents/document.js'
import { valueOfNode } from '../documents/jsonc.js'
import { type JsoncNode, type Member, type ObjectNode, readTree } from '../documents/jsonc-tree.js'

/** Sets a value in a JSON text, and leaves every other character as it is: comments, order, blanks, line ends. */
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

/** Takes a member out, its comma with it. Comments beside it and everything else stay as they are. */
export function removeFromJson(text: string, path: readonly string[]): string {
  let node = readTree(text)
  for (const key of path.slice(0, -1)) node = memberOf(node, key)?.value ?? node
  const member = memberOf(node, path.at(-1) ?? '')
  if (node.kind !== 'object' || !member) return text
  const at = node.members.indexOf(member)
  const { start, value } = member
  const own = [start, value.end] as const
  const after = commaIn(text, value.end, node.members[at + 1]?.start ?? node.end - 1)
  if (after !== undefined && text.slice(value.end, after).trim() === '') return cut(text, [[start, after + 1]])
  if (after !== undefined) return cut(text, [own, [after, after + 1]])
  const before = node.members[at - 1]
  const comma = before && commaIn(text, before.value.end, start)
  return cut(text, comma === undefined ? [own] : [[comma, comma + 1], own])
}

const memberOf = (node: JsoncNode, key: string): Member | undefined =>
  node.kind === 'object' ? node.members.find((one) => one.key === key) : undefined

/** The offset of the comma in a range, ignoring comments. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const gap = text.slice(from, to).replace(comments, (comment) => ' '.repeat(comment.length))
  const at = gap.indexOf(',')
  return at === -1 ? undefined : from + at
}

/** Removes pieces, given in text order. A line with nothing else is removed whole; elsewhere, the blanks before the piece go too. */
function cut(text: string, pieces: readonly (readonly [start: number, end: number])[]): string {
  return pieces.reduceRight((left, [start, end]) => {
    const before = left.slice(0, start).replace(/[ \t]+$/, '')
    const after = left.slice(end)
    const isLineStart = before === '' || before.endsWith('\n')
    if (!isLineStart) return before + after
    const rest = after.replace(/^[ \t]+/, '')
    const lineEnd = /^\r?\n/.exec(rest)?.[0]
    return lineEnd === undefined ? left.slice(0, start) + rest : before + rest.slice(lineEnd.length)
  }, text)
}

const nested = (path: readonly string[], value: Json): Json => path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)

function objectAt(node: JsoncNode, text: string): ObjectNode {
  if (node.kind === 'object') return node
  throw problem(
    '',
    'an object is expected here; correct the file first, so that the change overwrites nothing',
    lineAt(text, node.start),
  )
}

function replace(text: string, node: JsoncNode, from: number, value: Json): string {
  if (isDeepStrictEqual(valueOfNode(node), value)) return text
  const { kind, start, end } = node
  const isShort = kind === 'object' && !text.slice(start, end).includes('\n')
  return text.slice(0, start) + (isShort ? JSON.stringify(value) : written(text, value, indentAt(text, from))) + text.slice(end)
}

/** Appends a member; an object on one line stays on one line. */
function insert(text: string, node: ObjectNode, key: string, value: Json): string {
  const last = node.members.at(-1)
  const inner = text.slice(node.start + 1, node.end - 1)
  const close = node.end - 1 - (/[ \t\r\n]*$/.exec(inner)?.[0].length ?? 0)
  if (last && !inner.includes('\n')) {
    const member = `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    const comma = commaIn(text, last.value.end, close) === undefined ? ', ' : ' '
    return `${text.slice(0, close)}${comma}${member}${text.slice(close)}`
  }
  const outer = indentAt(text, node.start)
  const indent = last ? indentAt(text, last.start) : outer + unitOf(text)
  const line = lineEnd(text)
  const member = `${line}${indent}${JSON.stringify(key)}: ${written(text, value, indent)}`
  const tail = inner.trim() === '' && !inner.includes('\n') ? line + outer : text.slice(close, node.end - 1)
  const needsComma = last && commaIn(text, last.value.end, close) === undefined
  const at = needsComma ? last.value.end : close
  return text.slice(0, at) + (needsComma ? ',' : '') + text.slice(at, close) + member + tail + text.slice(node.end - 1)
}

const comments = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g

function written(text: string, value: Json, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', lineEnd(text) + indent)
}

/** The indentation of the line, up to the offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** The indentation unit, taken from the first indented line. */
const unitOf = (text: string): string => /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  '
const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
