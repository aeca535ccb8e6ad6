import type { Json } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { type Document, documentLimits, pointerSegments } from './document.js'
import { type JsoncNode, readTree } from './jsonc-tree.js'

const tooLarge = `is larger than ${documentLimits.bytes} characters, and not plain JSON; remove comments, keys given twice and large numbers`

/** Reads an object in JSON with comments and trailing commas. A text beyond the usual limit must be plain JSON, which is read much faster. */
export function readJsonc(text: string): Document {
  const isLarge = text.length > documentLimits.bytes
  const plain = plainJson(text)
  if (plain === undefined && isLarge) throw problem('', tooLarge)
  const tree = plain === undefined ? readTree(text) : undefined
  const value = tree ? valueOfNode(tree) : plain
  if (!isObject(value)) throw problem('', 'an object is expected: { "mcpServers": { … } }', 1)
  let find: Document['lineOf'] | undefined
  const lineOf = (at: string) => {
    find ??= lineFinder(text, tree ?? readTree(text))
    return find(at)
  }
  return { value, lineOf: isLarge ? () => undefined : lineOf }
}

/** Only the size of the file bounds its width; deeper values are left to the other reader. */
const limits = { depth: documentLimits.depth - 4, members: Infinity, elements: Infinity, containers: Infinity, values: Infinity }

function plainJson(text: string): Json | undefined {
  try {
    return parseJson(text, limits)
  } catch (thrown) {
    if (thrown instanceof JsonError) return undefined
    throw thrown
  }
}

export function valueOfNode(node: JsoncNode): Json {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(valueOfNode)
  // Object.fromEntries makes even a key named __proto__ an own property.
  return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOfNode(value)]))
}

type Placed = { readonly start: number; readonly node: JsoncNode }

/** Finds the line of a place. There is no list of all places, because a long key would be in each place below it. */
function lineFinder(text: string, tree: JsoncNode): Document['lineOf'] {
  const members = new Map<JsoncNode, ReadonlyMap<string, Placed>>()
  let line = 1
  let offset = 0

  function innerOf(node: JsoncNode, key: string): Placed | undefined {
    if (node.kind === 'scalar') return undefined
    if (node.kind === 'array') {
      const item = node.items[Number(key)]
      return item && { start: item.start, node: item }
    }
    const known =
      members.get(node) ?? new Map(node.members.map((member) => [member.key, { start: member.start, node: member.value }]))
    members.set(node, known)
    return known.get(key)
  }

  return (at) => {
    let place: Placed | undefined = { start: tree.start, node: tree }
    for (const key of pointerSegments(at)) {
      place = innerOf(place.node, key)
      if (!place) return undefined
    }
    // Problems mostly come in the order of the text, so that each line is counted once.
    if (place.start < offset) [line, offset] = [1, 0]
    for (; offset < place.start; offset++) if (text[offset] === '\n') line++
    return line
  }
}
