/** What becomes of what a rule finds: it is taken out, only reported, or the whole result is refused. */
export type Action = 'strip' | 'flag' | 'refuse' | 'off'

/**
 * What results are searched for: escape sequences of terminals; other control characters; invisible characters; formatting that
 * reorders text; what is too long; media that are not what they say; links that lead to where no link should.
 */
export type RuleName = 'terminal' | 'controls' | 'invisible' | 'bidi' | 'size' | 'media' | 'links'
export type Rules = { readonly [R in RuleName]: Action }

export const usualRules: Rules = {
  terminal: 'strip',
  controls: 'strip',
  invisible: 'strip',
  bidi: 'strip',
  size: 'strip',
  media: 'strip',
  links: 'strip',
}

/** How much is let through. */
export type Sizes = {
  /** Length of one text, in UTF-16 code units; 100 at least. */
  readonly text: number
  readonly blocks: number
  /** How deep values may nest. */
  readonly depth: number
}

export const usualSizes: Sizes = { text: 1_048_576, blocks: 1_000, depth: 64 }

/** What one rule found in one result: characters, or things. */
export type SanitizeFinding = { readonly rule: RuleName; readonly action: 'strip' | 'flag'; readonly count: number }

/** A rule that refuses has found something. */
export class Unsafe extends Error {
  override name = 'Unsafe'
  readonly rule: RuleName

  constructor(rule: RuleName) {
    super(rule)
    this.rule = rule
  }
}

/** Applies the actions of the rules, and counts what was found. */
export class Findings {
  readonly #rules: Rules
  readonly #counts = new Map<RuleName, number>()

  constructor(rules: Rules) {
    this.#rules = rules
  }

  isOn(rule: RuleName): boolean {
    return this.#rules[rule] !== 'off'
  }

  /** Notes what was found; true when it is to be taken out. */
  found(rule: RuleName, count = 1): boolean {
    const action = this.#rules[rule]
    if (action === 'off') return false
    if (action === 'refuse') throw new Unsafe(rule)
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count)
    return action === 'strip'
  }

  all(): SanitizeFinding[] {
    // Only what strips or flags has been counted.
    return [...this.#counts].map(([rule, count]) => ({ rule, action: this.#rules[rule] === 'flag' ? 'flag' : 'strip', count }))
  }
}
