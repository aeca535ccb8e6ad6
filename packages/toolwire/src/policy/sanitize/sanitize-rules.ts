import type { PassageRule } from '../../text/search/passages.js'
import { Refusal } from '../../tools/refusal.js'

/** What becomes of what a rule finds: it is taken out, only reported, or the whole result is refused. */
export type SanitizeAction = (typeof sanitizeActions)[number]
export const sanitizeActions = ['strip', 'flag', 'refuse', 'off'] as const

/**
 * What results are searched for: escape sequences of terminals; other control characters; invisible characters; formatting that
 * reorders text; what is too long; media that are not what they say; links that lead to where no link should; keys, tokens and
 * passwords; markup that runs or loads something where it is shown; words that speak to the model.
 *
 * The last three only report by default. A tool may hand out a key on purpose, and markup is harmless when it is shown as
 * text. Phrases that speak to the model are found by pattern, so treat them as a warning and not as a defence.
 */
export type { PassageRule }
export type SanitizeRule = 'terminal' | 'controls' | 'invisible' | 'bidi' | 'size' | 'media' | 'links' | PassageRule
export type SanitizeRules = { readonly [R in SanitizeRule]: SanitizeAction }

/** What becomes of what each rule finds unless said otherwise, and what that is in the middle of a sentence. */
const table = {
  terminal: ['strip', 'escape sequences of terminals'],
  controls: ['strip', 'control characters'],
  invisible: ['strip', 'invisible characters'],
  bidi: ['strip', 'characters that reorder text'],
  size: ['strip', 'more than is let through'],
  media: ['strip', 'media that are not what they say'],
  links: ['strip', 'links to where none may lead'],
  secrets: ['flag', 'secrets'],
  active: ['flag', 'active content'],
  instructions: ['flag', 'instructions to the model'],
} as const satisfies { readonly [R in SanitizeRule]: readonly [SanitizeAction, string] }

const column = <T>(of: (row: (typeof table)[SanitizeRule]) => T) =>
  Object.fromEntries(Object.entries(table).map(([rule, row]) => [rule, of(row)])) as { readonly [R in SanitizeRule]: T } // a row for each

export const defaultSanitizeRules: SanitizeRules = column(([action]) => action)
export const foundWords = column(([, words]) => words)

/** All of them, for settings that name them. */
export const sanitizeRules = Object.keys(defaultSanitizeRules) as readonly SanitizeRule[] // it has a member for each

/** How much is let through. */
export type SanitizeSizes = {
  /** Length of one text, in UTF-16 code units; 100 at least. */
  readonly text: number
  readonly blocks: number
  /** How deep values may nest: no more than a message may. */
  readonly depth: number
}

/** A text may be as long as a message, so of what was within its bounds nothing is cut unless somebody wants it. */
export const defaultSizes: SanitizeSizes = { text: 4_194_304, blocks: 1_000, depth: 64 }

/** What one rule found in one result: how many characters or things, and of what kinds, but never the things themselves. */
export type SanitizeFinding = {
  readonly rule: SanitizeRule
  readonly action: 'strip' | 'flag'
  readonly count: number
  readonly kinds?: string[]
}

/** A rule that refuses has found something. */
export class UnsafeContent extends Error {
  override name = 'Unsafe'
  readonly rule: SanitizeRule

  constructor(rule: SanitizeRule) {
    super(rule)
    this.rule = rule
  }
}

/** What the caller hears of a result that is refused; anything else that was thrown stays what it is. */
export const asRefusal = (thrown: unknown, tool: string): unknown =>
  thrown instanceof UnsafeContent
    ? new Refusal('unsafe-result', `${tool} was called, and its result is withheld: it contains ${foundWords[thrown.rule]}.`)
    : thrown

/** Applies the actions of the rules, and counts what was found. */
export class Findings {
  readonly #rules: SanitizeRules
  readonly #counts = new Map<SanitizeRule, number>()
  readonly #kinds = new Map<SanitizeRule, Set<string>>()

  constructor(rules: SanitizeRules) {
    this.#rules = rules
  }

  isOn(rule: SanitizeRule): boolean {
    return this.#rules[rule] !== 'off'
  }

  takesOut(rule: SanitizeRule): boolean {
    return this.#rules[rule] === 'strip'
  }

  /** What is nested too deep cannot be cut without saying something else, so it is refused where the rule takes out. */
  tooDeep(): boolean {
    if (this.takesOut('size')) throw new UnsafeContent('size')
    return this.isOn('size') && !this.found('size')
  }

  /** Notes what was found; true when it is to be taken out. */
  found(rule: SanitizeRule, count = 1, kind?: string): boolean {
    const action = this.#rules[rule]
    if (action === 'off') return false
    if (action === 'refuse') throw new UnsafeContent(rule)
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count)
    if (kind !== undefined) this.#kinds.set(rule, (this.#kinds.get(rule) ?? new Set()).add(kind))
    return action === 'strip'
  }

  all(): SanitizeFinding[] {
    return [...this.#counts].map(([rule, count]) => {
      const kinds = this.#kinds.get(rule)
      // Only what strips or flags has been counted.
      return { rule, action: this.#rules[rule] === 'flag' ? 'flag' : 'strip', count, ...(kinds && { kinds: [...kinds] }) }
    })
  }
}
