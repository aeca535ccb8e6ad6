import { visible, visibleLine } from '../../text/visible.js'

export type RulesProblem = {
  /** JSON pointer to the place; '' is the whole set. */
  readonly at: string
  readonly message: string
  /** Line number from 1, if the rules were read from a text. */
  readonly line?: number | undefined
}

/**
 * Thrown for rules that cannot be used. The message names each place and what to do about it, with hidden characters escaped.
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
  new RulesError([{ at, message }], cause === undefined ? {} : { cause })
