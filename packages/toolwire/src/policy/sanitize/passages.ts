import { anchorScan, type Kind } from './anchors.js'
import type { PassageRule } from './rules.js'

/** A part of a text that a rule is about. */
export type Passage = { readonly rule: PassageRule; readonly kind: string; readonly start: number; readonly end: number }
export type Find = (text: string) => Passage[]

export type Finder = {
  readonly find: Find
  /** True only where nothing will be found. */
  readonly none: (text: string) => boolean
}

export type Search = { readonly rule: PassageRule; readonly kinds: readonly Kind[] }

/** Finds what any of the kinds describes, from left to right; what overlaps under one rule is one passage. */
export function passageFinder(searches: readonly Search[]): Finder {
  const scan = anchorScan(searches.flatMap(({ rule, kinds }) => kinds.map((kind, order) => ({ ...kind, rule, order }))))
  const find: Find = (text) => {
    const found: (Passage & { order: number })[] = []
    scan.each(text, (row, at) => {
      const passage = passageAt(text, row, at)
      if (passage) found.push({ ...passage, rule: row.rule, order: row.order })
    })
    if (found.length === 0) return nothing
    found.sort((one, other) => one.start - other.start || one.order - other.order)
    return joined(found)
  }
  return { find, none: scan.none }
}

const nothing: Passage[] = []

function passageAt(text: string, { kind, pattern, check }: Kind, at: number) {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  if (!match) return undefined
  const [whole, meant = whole] = match
  if (check && !check(meant)) return undefined
  const end = at + whole.length
  return { kind, start: end - meant.length, end }
}

type Grouping = (passage: Passage) => string
const byRule: Grouping = ({ rule }) => rule

/** Passages in the order of their beginnings, those of one group without overlaps. */
export function joined(passages: readonly Passage[], groupOf: Grouping = byRule): Passage[] {
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
