// Searches for a hundred beginnings in one pass, three characters at a time. Text without any of them needs no further work.

import type { Steps } from '../../bounds/steps.js'

export type PassageKind = {
  readonly kind: string
  /** Beginnings of a match, at least three characters each. Letter case is ignored if the pattern ignores it. */
  readonly anchors: readonly string[]
  /** Sticky, and tried at each anchor. If it has a group, the group must end the match, and only the group is the passage. */
  readonly pattern: RegExp
  /** Confirms a match by its text. */
  readonly check?: ((found: string) => boolean) | undefined
}

type Lead<K> = { readonly of: K; readonly anchor: string; readonly offset: number }
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
  const isAnchor = (text: string, end: number, hash: number) => leads.get(hash)?.some((lead) => isLead(lead, text, end)) ?? false

  return {
    *stretches(text, visit) {
      const mark = (end: number, hash: number) => {
        for (const lead of leads.get(hash) ?? []) if (isLead(lead, text, end)) visit(lead.of, end - size - lead.offset)
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

function isLead<K extends PassageKind>({ of, anchor, offset }: Lead<K>, text: string, end: number): boolean {
  const at = end - size - offset
  return at >= 0 && (of.pattern.ignoreCase ? startsLike(text, anchor, at) : text.startsWith(anchor, at))
}

/** Ignores letter case. The bit makes a few other characters equal too, which the pattern tells apart. */
function startsLike(text: string, anchor: string, at: number): boolean {
  for (let n = 0; n < anchor.length; n++) {
    if ((text.charCodeAt(at + n) | 0x20) !== (anchor.charCodeAt(n) | 0x20)) return false
  }
  return true
}

function leadsOf<K extends PassageKind>(kinds: readonly K[]): Map<number, Lead<K>[]> {
  const leads = new Map<number, Lead<K>[]>()
  for (const of of kinds) {
    for (const anchor of of.anchors) {
      const offset = rarest(anchor)
      const three = anchor.slice(offset, offset + size)
      for (const spelling of of.pattern.ignoreCase ? spellings(three) : [three]) {
        const hash = [...spelling].reduce((sum, letter) => ((sum << shift) ^ letter.charCodeAt(0)) & mask, 0)
        leads.set(hash, [...(leads.get(hash) ?? []), { of, anchor, offset }])
      }
    }
  }
  return leads
}

const frequent = ' etaoinshrdlucmfwypvbgkjqxz'

/** Index of the three characters that are rarest in ordinary text. */
function rarest(anchor: string): number {
  let best = 0
  for (let at = 1; at <= anchor.length - size; at++) if (rarity(anchor, at) > rarity(anchor, best)) best = at
  return best
}

function rarity(anchor: string, at: number): number {
  const ranks = [...anchor.slice(at, at + size)].map((letter) => frequent.indexOf(letter.toLowerCase()))
  return ranks.reduce((sum, rank) => sum + (rank < 0 ? frequent.length : rank), 0)
}

function spellings(three: string): Set<string> {
  const either = (starts: string[], letter: string) =>
    starts.flatMap((start) => [start + letter.toLowerCase(), start + letter.toUpperCase()])
  return new Set([...three].reduce(either, ['']))
}
