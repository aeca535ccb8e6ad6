import type { Steps } from '../../bounds/steps.js'
import { anchorScan, type PassageKind } from './anchor-scan.js'

/** Rules that search inside texts. The other rules look at characters or at whole blocks. */
export type PassageRule = 'secrets' | 'active' | 'instructions'
export type Passage = { readonly rule: PassageRule; readonly kind: string; readonly start: number; readonly end: number }
export type FindPassages = (text: string) => Steps<readonly Passage[]>

/** Limit of separate passages in a text. Beyond it, the other passages of each rule become one, from the first to the last. */
export const mostPassages = 32_768

export type PassageFinder = {
  readonly find: FindPassages
  /** True only if `find` would find nothing. */
  readonly none: (text: string) => boolean
}

type Row = PassageKind & { readonly rule: PassageRule; readonly order: number }
export type PassageSearch = { readonly rule: PassageRule; readonly kinds: readonly PassageKind[] }

/** Finds passages of any of the kinds, from left to right. Overlapping passages of one rule become one. */
export function passageFinder(searches: readonly PassageSearch[]): PassageFinder {
  const scan = anchorScan<Row>(searches.flatMap(({ rule, kinds }) => kinds.map((kind, order) => ({ ...kind, rule, order }))))

  function stretches(text: string, found: FoundPassage[]): Steps<void> {
    const rests = new Map<PassageRule, FoundPassage>()
    return scan.stretches(text, (row, at) => {
      const passage = passageAt(text, row, at)
      if (!passage) return
      const rest = rests.get(row.rule)
      if (rest) {
        rest.start = Math.min(rest.start, passage.start)
        rest.end = Math.max(rest.end, passage.end)
        return
      }
      if (found.length >= mostPassages) rests.set(row.rule, passage)
      found.push(passage)
    })
  }

  return {
    *find(text) {
      const found: FoundPassage[] = []
      yield* stretches(text, found)
      return inOrder(found)
    },
    none: scan.none,
  }
}

const nothing: Passage[] = []

function inOrder(found: FoundPassage[]): Passage[] {
  if (found.length === 0) return nothing
  return mergePassages(found.sort((one, other) => one.start - other.start || one.order - other.order))
}

/** All passages are made in one place with one order of members, so that the engine keeps a single hidden class. */
type FoundPassage = { rule: PassageRule; kind: string; start: number; end: number; order: number }

function passageAt(text: string, { rule, order, kind, pattern, check }: Row, at: number): FoundPassage | undefined {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  if (!match) return undefined
  const [whole, meant = whole] = match
  if (check && !check(meant, text, at)) return undefined
  const end = at + whole.length
  return { rule, kind, start: end - meant.length, end, order }
}

/** Merges the overlapping passages of each group. The input must be ordered by the beginnings. */
export function mergePassages(
  passages: readonly Passage[],
  groupOf: (passage: Passage) => string = ({ rule }) => rule,
): Passage[] {
  const last = new Map<string, number>()
  const all: Passage[] = []
  for (const { rule, kind, start, end } of passages) {
    const passage = { rule, kind, start, end }
    const group = groupOf(passage)
    const before = last.get(group) ?? -1
    const open = all[before]
    if (open && start < open.end) all[before] = end > open.end ? { ...open, end } : open
    else last.set(group, all.push(passage) - 1)
  }
  return all
}
