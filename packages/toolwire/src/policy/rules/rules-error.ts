import { visible, visibleLine } from '../../text/visible.js'

/** What is wrong with a set of rules, and where. */
export type RulesProblem = {
  /** JSON pointer to the place; '' is the whole. */
  readonly at: string
  readonly message: string
  /** Counted from 1; known where the rules came from a text. */
  readonly line?: number | undefined
}

/**
 * Rules that cannot be used. The message names each place and what to do about it; what a file hides is shown.
 *
 * @example
 * ```ts
 * const problemsOf = (thrown: unknown) => (thrown instanceof RulesError ? thrown.problems : [])
 * ```
 */
export class RulesError extends Error {
  override name = 'RulesError'
  readonly problems: readonly RulesProblem[]
  readonly file: string | undefined

  constructor(problems: readonly RulesProblem[], options: ErrorOptions & { file?: string | undefined } = {}) {
    super(problems.map((problem) => problemLine(problem, options.file)).join('\n'), options)
    this.problems = problems.map((problem) => ({ ...problem, message: visible(problem.message) }))
    this.file = options.file
  }
}

function problemLine({ at, line, message }: RulesProblem, file: string | undefined): string {
  const place = [file, line].filter((part) => part !== undefined).join(':')
  return visibleLine([place, at, message].filter((part) => part !== '').join(': '))
}

export const rulesProblem = (at: string, message: string, cause?: unknown): RulesError =>
  new RulesError([{ at, message }], { cause })
