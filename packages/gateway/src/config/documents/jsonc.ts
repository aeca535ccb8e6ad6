import type { Json } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { type Document, jsonPointer } from './document.js'
import { type JsoncNode, readTree } from './jsonc-tree.js'

/** Reads an object in JSON with comments and trailing commas. */
export function readJsonc(text: string): Document {
  const tree = readTree(text)
  const value = valueOfNode(tree)
  if (!isObject(value)) throw problem('', 'an object is expected: { "mcpServers": { … } }', 1)
  const lines = linesOf(text, tree)
  return { value, lineOf: (at) => lines.get(at) }
}

export function valueOfNode(node: JsoncNode): Json {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(valueOfNode)
  // Object.fromEntries makes even a key named __proto__ an own property.
  return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOfNode(value)]))
}

function linesOf(text: string, tree: JsoncNode): Map<string, number> {
  const lines = new Map<string, number>()
  let line = 1
  let offset = 0
  // Values are visited in the order of the text, so that each line is counted once.
  function visit(node: JsoncNode, at: string, start: number): void {
    for (; offset < start; offset++) if (text[offset] === '\n') line++
    lines.set(at, line)
    if (node.kind === 'object') for (const { key, start, value } of node.members) visit(value, at + jsonPointer(key), start)
    else if (node.kind === 'array')
      for (const [index, item] of node.items.entries()) visit(item, at + jsonPointer(index), item.start)
  }
  visit(tree, '', tree.start)
  return lines
}
