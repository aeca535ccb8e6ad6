// The arguments of a call, prepared for reading: long ones are folded until the user unfolds them.
import { entriesOf } from '../../api/entries.js'
import type { Json, JsonObject } from '../../api/types.js'
import { textPieces as marksIn } from '../../parts/text/Text.js'
import { textBlocks } from './text-blocks.js'

export type ArgumentPiece = {
  readonly name: string
  /** The type of the value, in a word. */
  readonly kind: string
  /** The value: a string unchanged, everything else as JSON. */
  readonly text: string
  readonly bytes: number
  readonly isFolded: boolean
  readonly blocks: readonly string[]
}

/** All arguments. If they are too long or too many to read at a glance, all of them must have been on the screen before an approval. */
export type ArgumentPieces = {
  readonly all: readonly ArgumentPiece[]
  /** Number of arguments. The last piece may hold many. */
  readonly count: number
  readonly bytes: number
  readonly mustBeSeen: boolean
  /** Number of characters that are invisible unless marked, up to `maxCountedHidden`. */
  readonly hidden: number
}

/** A call with more bytes of arguments can be allowed only after all of them have been on the screen. */
export const maxUnseenBytes = 4_096
/** The same holds for more lines: each argument, and each line break in one, moves the others down. So do the marks of hidden characters. */
const maxUnseenLines = 40
const marksInLine = 10
const mostUnfolded = 600
const mostPieces = 100
const longestName = 100

export function argumentPieces(args: JsonObject): ArgumentPieces {
  const bytes = bytesOf(jsonOf(args))
  const entries = entriesOf(args)
  const rest = entries.slice(mostPieces)
  const parts = entries.slice(0, mostPieces).map(([name, value]) => partOf(name, value))
  if (rest.length > 0) parts.push({ name: `and ${rest.length} more`, kind: 'arguments', text: jsonOf(Object.fromEntries(rest)) })
  // An empty value has a block, too, because its name must have been on the screen.
  const pieces = parts.map((part) => ({ ...part, blocks: part.text === '' ? [''] : textBlocks(part.text) }))
  const hidden = hiddenIn(pieces)
  const lines = parts.reduce((sum, { text }) => sum + linesIn(text), hidden / marksInLine)
  const mustBeSeen = bytes > maxUnseenBytes || lines > maxUnseenLines
  const all = pieces.map((piece): ArgumentPiece => {
    const size = bytesOf(piece.text)
    return { ...piece, bytes: size, isFolded: mustBeSeen && size > mostUnfolded }
  })
  return { all, count: entries.length, bytes, mustBeSeen, hidden }
}

type Part = Pick<ArgumentPiece, 'name' | 'kind' | 'text'>

function partOf(name: string, value: Json): Part {
  const kind = kindOf(value)
  // A name that is too long for a heading is shown with its value.
  if (name.length > longestName)
    return { name: `${name.slice(0, longestName)}…`, kind, text: jsonOf(Object.fromEntries([[name, value]])) }
  return { name, kind, text: typeof value === 'string' ? value : jsonOf(value) }
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

/** Limit of the count of hidden characters, because a hostile call may have millions. */
export const maxCountedHidden = 1_000

function hiddenIn(pieces: readonly Pick<ArgumentPiece, 'name' | 'blocks'>[]): number {
  let count = 0
  for (const { name, blocks } of pieces)
    for (const text of [name, ...blocks]) {
      count += marksIn(text).filter((one) => 'mark' in one).length
      if (count >= maxCountedHidden) return maxCountedHidden
    }
  return count
}

const linesIn = (text: string): number => text.split('\n').length
const jsonOf = (value: Json): string => JSON.stringify(value, null, 2)
const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length
