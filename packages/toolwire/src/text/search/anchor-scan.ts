// Searches for a hundred beginnings in one pass, three characters at a time. Text without any of them needs no further work.

import type { Steps } from '../../bounds/steps.js'

export type PassageKind = {
  readonly kind: string
  /** Beginnings of a match, at least three characters each. Letter case is ignored if the pattern ignores it. */
  readonly anchors: readonly string[]
  /** One of the one to four characters that may stand for a space of an anchor; by default, only a space stands for it. */
  readonly gap?: RegExp
  /** Sticky, and tried at each anchor. If it has a group, the group must end the match, and only the group is the passage. */
  readonly pattern: RegExp
  /** Confirms a match by its text, and maybe by the text around the anchor. */
  readonly check?: ((found: string, text: string, at: number) => boolean) | undefined
}

/** An anchor, cut where its three rarest characters begin. */
type Lead<K> = { readonly of: K; readonly before: Track; readonly rest: Track }
/** Letters to follow, in reading order or against it. */
type Track = {
  readonly letters: string
  readonly step: 1 | -1
  readonly gap: RegExp | undefined
  readonly ignoreCase: boolean
}
type Visit<K> = (of: K, at: number) => void

// Small enough to stay in the processor's fastest cache.
const shift = 5
const hashBits = 3 * shift
const mask = (1 << hashBits) - 1
const size = 3

type AnchorScan<K> = {
  /** Calls `visit` at each anchor of a kind, one stretch of text per step. */
  stretches(text: string, visit: Visit<K>): Steps<void>
  /** True only if the text has no anchor; quicker than `stretches` for short texts. */
  none(text: string): boolean
}

export function anchorScan<K extends PassageKind>(kinds: readonly K[]): AnchorScan<K> {
  const leads = leadsOf(kinds)
  const marked = new Uint8Array(mask + 1)
  for (const hash of leads.keys()) marked[hash] = 1
  const isAnchor = (text: string, end: number, hash: number) =>
    leads.get(hash)?.some((lead) => startOf(lead, text, end) !== undefined) ?? false

  return {
    *stretches(text, visit) {
      const mark = (end: number, hash: number) => {
        for (const lead of leads.get(hash) ?? []) {
          const start = startOf(lead, text, end)
          if (start !== undefined) visit(lead.of, start)
        }
        return false
      }
      for (let from = 0; from < text.length; from += chunk.length - (size - 1)) {
        const part = text.length <= chunk.length ? text : text.slice(from, from + chunk.length)
        const { read, written } = encoder.encodeInto(part, chunk)
        // Bytes are read twice as fast as characters. Most text is ASCII, where bytes and characters are the same.
        if (read === part.length && read === written) markedBytes(written, marked, (end, hash) => mark(from + end, hash))
        else someMarked(part, marked, (end, hash) => mark(from + end, hash))
        if (from + part.length >= text.length) return
        yield
      }
    },
    none: (text) => !someMarked(text, marked, (end, hash) => isAnchor(text, end, hash)),
  }
}

const encoder = new TextEncoder()
const chunk = new Uint8Array(65_536)

function markedBytes(length: number, marked: Uint8Array, visit: (end: number, hash: number) => void): void {
  let hash = 0
  for (let at = 0; at < length; at++) {
    hash = ((hash << shift) ^ chunk[at]!) & mask // three shifts drop a character
    if (marked[hash] !== 0) visit(at + 1, hash)
  }
}

function someMarked(text: string, marked: Uint8Array, isMeant: (end: number, hash: number) => boolean): boolean {
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = ((hash << shift) ^ text.charCodeAt(at)) & mask
    if (marked[hash] !== 0 && isMeant(at + 1, hash)) return true
  }
  return false
}

/** Start of an anchor whose three rarest characters may end here. */
function startOf<K>({ before, rest }: Lead<K>, text: string, end: number): number | undefined {
  if (follow(rest, text, end - size) === undefined) return undefined
  const beyond = follow(before, text, end - size - 1)
  return beyond === undefined ? undefined : beyond + 1
}

const mostGap = 4

/** The index behind the letters; undefined if the text has others. */
function follow({ letters, step, gap, ignoreCase }: Track, text: string, from: number): number | undefined {
  let at = from
  for (const letter of letters) {
    if (gap && letter === ' ') {
      const begin = at
      while (Math.abs(at - begin) < mostGap && gap.test(text.charAt(at))) at += step
      if (at === begin) return undefined
      continue
    }
    if (!(ignoreCase ? isSameLetter(text.charCodeAt(at), letter.charCodeAt(0)) : text[at] === letter)) return undefined
    at += step
  }
  return at
}

/** Ignores letter case. The bit makes a few other characters equal too, which the pattern tells apart. */
const isSameLetter = (one: number, other: number): boolean =>
  (one | 0x20) === (other | 0x20) || (one > 0x7f && lowerCase(one) === lowerCase(other))

const lowerCase = (letter: number): string => String.fromCharCode(letter).toLowerCase()

function leadsOf<K extends PassageKind>(kinds: readonly K[]): Map<number, Lead<K>[]> {
  const leads = new Map<number, Lead<K>[]>()
  for (const of of kinds) {
    for (const anchor of of.anchors) {
      const { gap, pattern } = of
      const offset = rarest(anchor, gap !== undefined)
      const before = { letters: [...anchor.slice(0, offset)].reverse().join(''), step: -1 as const }
      const rest = { letters: anchor.slice(offset), step: 1 as const }
      const how = { gap, ignoreCase: pattern.ignoreCase }
      const lead = { of, before: { ...before, ...how }, rest: { ...rest, ...how } }
      const three = anchor.slice(offset, offset + size)
      for (const spelling of pattern.ignoreCase ? spellings(three) : [three]) {
        const hash = [...spelling].reduce((sum, letter) => ((sum << shift) ^ letter.charCodeAt(0)) & mask, 0)
        leads.set(hash, [...(leads.get(hash) ?? []), lead])
      }
    }
  }
  return leads
}

const frequent = ' etaoinshrdlucmfwypvbgkjqxz'

/** Index of the three characters that are rarest in ordinary text, inside of a word if spaces stand for gaps. */
function rarest(anchor: string, hasGaps: boolean): number {
  const rarity = (at: number) => {
    const letters = [...anchor.slice(at, at + size)]
    if (hasGaps && letters.includes(' ')) return 0
    const ranks = letters.map((letter) => frequent.indexOf(letter.toLowerCase()))
    return ranks.reduce((sum, rank) => sum + (rank < 0 ? frequent.length : rank), 0)
  }
  let best = 0
  for (let at = 1; at <= anchor.length - size; at++) if (rarity(at) > rarity(best)) best = at
  return best
}

function spellings(three: string): Set<string> {
  const either = (starts: string[], letter: string) =>
    starts.flatMap((start) => [start + letter.toLowerCase(), start + letter.toUpperCase()])
  return new Set([...three].reduce(either, ['']))
}
