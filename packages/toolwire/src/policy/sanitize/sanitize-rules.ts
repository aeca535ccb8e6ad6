import type { PassageRule } from '../../text/search/passages.js'
import { Refusal } from '../../tools/refusal.js'

/** Action for the findings of a rule: remove them, only report them, or refuse the whole result. `off` skips the rule. */
export type SanitizeAction = (typeof sanitizeActions)[number]
export const sanitizeActions = ['strip', 'flag', 'refuse', 'off'] as const

/**
 * The rules, in order: escape sequences of terminals; other control characters; invisible characters; formatting that reorders text;
 * oversized content; media that do not match their type; unsafe links; keys, tokens and passwords; markup that runs or loads something when
 * rendered; phrases that speak to the model.
 *
 * The last three only report by default. A tool may hand out a key on purpose, and markup is harmless when it is shown as
 * text. Phrases that speak to the model are found by pattern, so treat them as a warning and not as a defence.
 */
export type { PassageRule }
export type SanitizeRule = 'terminal' | 'controls' | 'invisible' | 'bidi' | 'size' | 'media' | 'links' | PassageRule
export type SanitizeRules = { readonly [R in SanitizeRule]: SanitizeAction }

/** Default action of each rule, and words for its findings in the middle of a sentence. */
const table = {
  terminal: ['strip', 'escape sequences of terminals'],
  controls: ['strip', 'control characters'],
  invisible: ['strip', 'invisible characters'],
  bidi: ['strip', 'characters that reorder text'],
  size: ['strip', 'more than the size limits allow'],
  media: ['strip', 'media that do not match their media type'],
  links: ['strip', 'links with a scheme that is not allowed'],
  secrets: ['flag', 'secrets'],
  active: ['flag', 'active content'],
  instructions: ['flag', 'instructions to the model'],
} as const satisfies { readonly [R in SanitizeRule]: readonly [SanitizeAction, string] }

const column = <T>(of: (row: (typeof table)[SanitizeRule]) => T) =>
  Object.fromEntries(Object.entries(table).map(([rule, row]) => [rule, of(row)])) as { readonly [R in SanitizeRule]: T } // a row for each

export const defaultSanitizeRules: SanitizeRules = column(([action]) => action)
export const foundWords = column(([, words]) => words)

export const sanitizeRules = Object.keys(defaultSanitizeRules) as readonly SanitizeRule[] // it has a member for each

export type SanitizeSizes = {
  /** Length of one text, in UTF-16 code units; 100 at least. */
  readonly text: number
  readonly blocks: number
  readonly depth: number
}

/** A text may be as long as a message, so by default nothing is cut from a message within its limits. */
export const defaultSizes: SanitizeSizes = { text: 4_194_304, blocks: 1_000, depth: 64 }

/** Findings of one rule in one result, with their number and kinds, but never the content itself. */
export type SanitizeFinding = {
  readonly rule: SanitizeRule
  readonly action: 'strip' | 'flag'
  readonly count: number
  readonly kinds?: string[]
}

/** Thrown if a rule that refuses has found something. */
export class UnsafeContent extends Error {
  override name = 'Unsafe'
  readonly rule: SanitizeRule

  constructor(rule: SanitizeRule) {
    super(rule)
    this.rule = rule
  }
}

/** Turns UnsafeContent into a refusal that says what is withheld, and returns anything else as it is. */
export const asRefusal = (thrown: unknown, what: string): unknown =>
  thrown instanceof UnsafeContent
    ? new Refusal('unsafe-result', `${what} is withheld: it contains ${foundWords[thrown.rule]}.`)
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

  /** Cutting nested values would change their meaning, so values that are too deep are refused if the rule removes. */
  tooDeep(): boolean {
    if (this.takesOut('size')) throw new UnsafeContent('size')
    return this.isOn('size') && !this.found('size')
  }

  /** Counts a finding; returns true if it is to be removed. */
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
      // Only rules that strip or flag have been counted.
      return { rule, action: this.#rules[rule] === 'flag' ? 'flag' : 'strip', count, ...(kinds && { kinds: [...kinds] }) }
    })
  }
}
