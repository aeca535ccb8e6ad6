// Looking for a hundred beginnings at once: one pass, three characters at a time, and nothing else is done for text that has none.

/** Something that texts are searched for. */
export type PassageKind = {
  readonly kind: string
  /** What each match begins with, at least three characters long; in any case when the pattern does not mind. */
  readonly anchors: readonly string[]
  /** Sticky, and tried where an anchor stands. If it has a group, that ends the match and is all that is meant. */
  readonly pattern: RegExp
  /** Whether it is what it looks like. */
  readonly check?: (found: string) => boolean
}

type Lead<K> = { readonly of: K; readonly anchor: string; readonly offset: number }
type Visit<K> = (of: K, at: number) => void
type Mark = (end: number, hash: number) => void

// Small enough to stay beside everything else in the fastest memory.
const shift = 5
const hashBits = 3 * shift
const mask = (1 << hashBits) - 1
const size = 3

type AnchorScan<K> = {
  /** Tells where an anchor of one of the kinds stands. */
  each(text: string, visit: Visit<K>): void
  /** The same a stretch at a time: it goes on when it is asked to. */
  stretches(text: string, visit: Visit<K>): Iterable<void>
  /** True only where there is none; quicker for short texts. */
  none(text: string): boolean
}

export function anchorScan<K extends PassageKind>(kinds: readonly K[]): AnchorScan<K> {
  const leads = leadsOf(kinds)
  const marked = new Uint8Array(mask + 1)
  for (const hash of leads.keys()) marked[hash] = 1
  return {
    each(text, visit) {
      for (const _ of this.stretches(text, visit));
    },
    stretches: (text, visit) => eachMarked(text, marked, (end, hash) => visitLeads(leads.get(hash) ?? [], { text, end }, visit)),
    none: (text) => noneMarked(text, marked, (end, hash) => standsAt(leads.get(hash) ?? [], text, end)),
  }
}

function noneMarked(text: string, marked: Uint8Array, isAnchor: (end: number, hash: number) => boolean): boolean {
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = ((hash << shift) ^ text.charCodeAt(at)) & mask
    if (marked[hash] !== 0 && isAnchor(at + 1, hash)) return false
  }
  return true
}

const encoder = new TextEncoder()
const chunk = new Uint8Array(65_536)

/** Bytes are read twice as fast as characters, and most text is ASCII, where they are the same. */
function* eachMarked(text: string, marked: Uint8Array, visit: Mark): Generator<void> {
  for (let from = 0; from < text.length; from += chunk.length - (size - 1)) {
    const part = text.length <= chunk.length ? text : text.slice(from, from + chunk.length)
    const { read, written } = encoder.encodeInto(part, chunk)
    if (read === part.length && read === written) markedBytes(written, marked, (end, hash) => visit(from + end, hash))
    else markedUnits(part, marked, (end, hash) => visit(from + end, hash))
    if (from + part.length >= text.length) return
    yield
  }
}

function markedBytes(length: number, marked: Uint8Array, visit: Mark) {
  let hash = 0
  for (let at = 0; at < length; at++) {
    hash = ((hash << shift) ^ chunk[at]!) & mask // a character is out again after three steps
    if (marked[hash] !== 0) visit(at + 1, hash)
  }
}

function markedUnits(text: string, marked: Uint8Array, visit: Mark) {
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = ((hash << shift) ^ text.charCodeAt(at)) & mask
    if (marked[hash] !== 0) visit(at + 1, hash)
  }
}

function visitLeads<K extends PassageKind>(
  leads: readonly Lead<K>[],
  { text, end }: { text: string; end: number },
  visit: Visit<K>,
) {
  for (const lead of leads) if (isLead(lead, text, end)) visit(lead.of, end - size - lead.offset)
}

const standsAt = <K extends PassageKind>(leads: readonly Lead<K>[], text: string, end: number): boolean =>
  leads.some((lead) => isLead(lead, text, end))

function isLead<K extends PassageKind>({ of, anchor, offset }: Lead<K>, text: string, end: number): boolean {
  const at = end - size - offset
  return at >= 0 && (of.pattern.ignoreCase ? startsLike(text, anchor, at) : text.startsWith(anchor, at))
}

/** In any case. The few other characters that this bit makes equal are left to the pattern. */
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
        const hash = hashOf(spelling)
        leads.set(hash, [...(leads.get(hash) ?? []), { of, anchor, offset }])
      }
    }
  }
  return leads
}

const hashOf = (three: string): number => {
  let hash = 0
  for (let at = 0; at < three.length; at++) hash = ((hash << shift) ^ three.charCodeAt(at)) & mask
  return hash
}

const frequent = ' etaoinshrdlucmfwypvbgkjqxz'

/** Where the three characters begin that ordinary text has least often. */
function rarest(anchor: string): number {
  const starts = Array.from({ length: anchor.length - size + 1 }, (_, at) => at)
  return starts.reduce((best, at) => (rarity(anchor, at) > rarity(anchor, best) ? at : best), 0)
}

function rarity(anchor: string, at: number): number {
  const ranks = [...anchor.slice(at, at + size)].map((letter) => frequent.indexOf(letter.toLowerCase()))
  return ranks.reduce((sum, rank) => sum + (rank < 0 ? frequent.length : rank), 0)
}

/** In lower and upper case, letter by letter. */
function spellings(three: string): Set<string> {
  const either = (starts: string[], letter: string) =>
    starts.flatMap((start) => [start + letter.toLowerCase(), start + letter.toUpperCase()])
  return new Set([...three].reduce(either, ['']))
}
