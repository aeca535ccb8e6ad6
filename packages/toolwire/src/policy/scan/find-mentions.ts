import { comparableName, type FoldedText, foldText } from '../../text/folded-text.js'
import { normalized } from '../../text/normalized.js'
import { visibleLine } from '../../text/visible.js'
import type { ScanFinding } from './advice.js'

/** A known tool other than the scanned one. */
export type OtherTool = { readonly server?: string | undefined; readonly name: string }

export type OtherNames = ReturnType<typeof otherNamesOf>

type Keyed = {
  readonly size: number
  readonly tools: ReadonlyMap<string, readonly OtherTool[]>
  readonly alike: ReadonlyMap<string, readonly OtherTool[]>
  /** Keys of the tools that do not belong to a server, by that server. */
  readonly foreign: Map<string | undefined, readonly string[]>
}

const keyed = new WeakMap<readonly OtherTool[], Keyed>()
const mostCompared = 2_000

/** Indexes other tools, each list once. A name that the server itself has means its own tool, even if another server has it, too. */
export function otherNamesOf(lists: readonly (readonly OtherTool[])[], own: OtherTool) {
  const read = lists.map(keyedList)
  const all = read.map(({ tools }) => tools)
  const isOwn = ({ server, name }: OtherTool) => (server !== undefined && server === own.server) || name === own.name
  function strangerAt(key: string): OtherTool | undefined {
    const tools = all.flatMap((list) => list.get(key) ?? [])
    return tools.some(isOwn) ? undefined : tools[0]
  }
  return {
    isEmpty: all.every(({ size }) => size === 0),
    get: strangerAt,
    /** A tool of another server whose name looks the same, even if this server has such a tool too. */
    alike(name: string): OtherTool | undefined {
      const shape = shapeOf(name)
      for (const { alike } of read) {
        const stranger = alike.get(shape)?.find((tool) => !isOwn(tool) && tool.name !== name)
        if (stranger) return stranger
      }
      return undefined
    },
    /** At most `mostCompared` names of other tools. */
    *some(): Generator<readonly [key: string, tool: OtherTool]> {
      let left = mostCompared
      for (const list of read)
        for (const key of foreignTo(own.server, list)) {
          if (left-- === 0) return
          const tool = strangerAt(key)
          if (tool) yield [key, tool]
        }
    },
  }
}

/** Keys of other servers' tools. A server's own tools are left out, however many it has. */
function foreignTo(server: string | undefined, { tools, foreign }: Keyed): readonly string[] {
  const known = foreign.get(server)
  if (known) return known
  const isForeign = (other: OtherTool) => server === undefined || other.server !== server
  const found = [...tools].flatMap(([key, same]) => (same.some(isForeign) ? [key] : []))
  foreign.set(server, found)
  return found
}

function keyedList(others: readonly OtherTool[]): Keyed {
  const known = keyed.get(others)
  if (known?.size === others.length) return known
  const tools = byKey(others, comparableName)
  const made = { size: others.length, tools, alike: byKey(others, shapeOf), foreign: new Map() }
  keyed.set(others, made)
  return made
}

function byKey(others: readonly OtherTool[], keyOf: (name: string) => string): Map<string, OtherTool[]> {
  const groups = new Map<string, OtherTool[]>()
  for (const other of others) {
    const key = keyOf(other.name)
    const same = groups.get(key)
    // A list that grows from nothing would take room for 17 tools, and nearly all of thousands of names are unique.
    if (same) same.push(other)
    else groups.set(key, [other])
  }
  return groups
}

/** A name by how its letters look in many fonts, where l, I and 1 are the same. */
function shapeOf(name: string): string {
  const plain = normalized(name, 'NFKC')
    .replaceAll(/[I1|!]/g, 'l')
    .replaceAll('0', 'o')
  return comparableName(plain).replaceAll('rn', 'm').replaceAll('vv', 'w')
}

const words = /[\p{L}\p{N}_.:/-]+/gu
const separator = /(?:[.:/]|__)[_.:/-]*/g
const withinName = /[_.:/-]|\p{Ll}\p{Lu}/u
const quotes = new Set('`"\'“”«»‘’')
const leadsTo = new Set('call calls calling use uses using invoke invoking run running before after tool'.split(' '))
const isTool = /^[`"']? (?:tool|function)/
// More than names have. A word may be as long as the text, and each of its parts is compared.
const mostParts = 64

/** Finds the name of another server's tool. A name that is an ordinary word counts only where it is used as the name of a tool. */
export function findMention(plain: FoldedText, letters: FoldedText, others: OtherNames): ScanFinding | undefined {
  if (others.isEmpty) return undefined
  const keyFrom = keysOf(letters)
  let before = ''
  let noted: ScanFinding | undefined
  for (const { 0: word, index } of plain.text.matchAll(words)) {
    const other = named(word, others, (from) => keyFrom(index + from, index + word.length))
    if (other && (withinName.test(other.name) || leadsTo.has(before) || standsForTool(plain.text, index, word))) {
      const holds = directs(plain.text, index, word, other)
      // A harmless mention does not excuse the mentions after it.
      if (holds || !noted) noted = { kind: 'cross-reference', at: plain.at[index] ?? 0, why: whyOf(other), holds }
      if (holds) return noted
    }
    before = word
  }
  return noted
}

/** Looks up the whole word, and then the part after a server's name. */
function named(word: string, others: OtherNames, keyFrom: (at: number) => string): OtherTool | undefined {
  const whole = others.get(keyFrom(0))
  if (whole) return whole
  const separators = [...word.matchAll(separator)].map(({ 0: { length }, index }) => index + length)
  return separators
    .slice(-mostParts)
    .map((at) => others.get(keyFrom(at)))
    .find((other) => other !== undefined)
}

/** Returns a function for the letters of a part of the folded text. It is fast if parts are read from left to right. */
function keysOf(letters: FoldedText): (from: number, to: number) => string {
  let start = 0
  return (from, to) => {
    while (start > 0 && (letters.at[start - 1] ?? 0) >= from) start--
    while (start < letters.text.length && (letters.at[start] ?? 0) < from) start++
    let end = start
    while (end < letters.text.length && (letters.at[end] ?? 0) < to) end++
    return letters.text.slice(start, end)
  }
}

const nearby = 48
const directing =
  /(?<![a-z])(?:before|prior to|instead|whenever|when calling|when using|every time|each time|always|must|never|do not|don't|rather than|no longer|broken|disabled|deprecated|intercept|redirect)(?![a-z])/
const sentenceEnd = /[.!?;\n](?= |$)/g

/** True if nearby words tell how to use that tool. Ordinary words are near by chance, and count only with a server's name. */
function directs(text: string, at: number, word: string, other: OtherTool): boolean {
  const isWithServer = other.server !== undefined && word.startsWith(foldText(other.server).text)
  if (!(withinName.test(other.name) || isWithServer) || !word.includes(foldText(other.name).text)) return false
  const lead = text.slice(Math.max(0, at - nearby), at)
  const begin = [...lead.matchAll(sentenceEnd)].at(-1)?.index ?? -1
  const rest = text.slice(at + word.length, at + word.length + nearby)
  const end = rest.search(/[.!?;]( |$)/)
  return directing.test(`${lead.slice(begin + 1)} ${end < 0 ? rest : rest.slice(0, end)}`)
}

function standsForTool(text: string, at: number, word: string): boolean {
  const end = at + word.length
  return (quotes.has(text[at - 1] ?? '') && quotes.has(text[end] ?? '')) || isTool.test(text.slice(end, end + 12))
}

const whyOf = ({ server, name }: OtherTool): string =>
  `The text names ${visibleLine(name)}${server === undefined ? '' : ` of ${visibleLine(server)}`} and may change how that tool is used.`
