import { nearestLine } from '../../../json/pointer.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { oneOf, someFunction, someText } from '../../../tools/checks/option-values.js'
import { runCases, type ToolsFor } from '../cases.js'
import type { RuleSet } from '../rule-set.js'
import { Rulebook } from '../rulebook.js'
import { RulesError, type RulesProblem } from '../rules-error.js'
import { type LocatedText, readJson } from './read-json.js'
import { readYaml } from './read-yaml.js'

export type ReadRulesOptions = {
  readonly format?: 'json' | 'yaml'
  /** File name for messages. */
  readonly file?: string
  /** 'refuse', the default, refuses rules that fail their own cases. */
  readonly cases?: 'refuse' | 'ignore'
  /** Returns the tools that cases may be about, if they are known. */
  readonly toolsFor?: ToolsFor
  /** Finds faults that the rules alone do not show, such as names of missing servers. Rules with such faults are refused. */
  readonly check?: (rules: Rulebook) => readonly RulesProblem[]
}

/** The kinds of values that `loadRules` and `watchRules` have as well. */
export const fileRuleValues = {
  format: oneOf('json', 'yaml'),
  cases: oneOf('refuse', 'ignore'),
  'toolsFor check': someFunction,
} as const
const known = optionsOf<ReadRulesOptions>()(fileRuleValues, { file: someText })
const longestText = 1_048_576

/**
 * Reads rules from a text, or throws a RulesError that names the lines. YAML needs the package `yaml`.
 *
 * @example
 * ```ts
 * const book = await readRules('{ "rules": [], "default": "ask" }')
 * ```
 */
export async function readRules(written: string, options: ReadRulesOptions = {}): Promise<Rulebook> {
  checkOptions('readRules()', options, known)
  const { format = 'yaml', file, cases = 'refuse', toolsFor, check } = options
  // Some editors put a byte order mark before the text of a file.
  const text = written.replace(/^\ufeff/, '')
  if (text.length > longestText) throw new RulesError([{ at: '', message: `is longer than ${longestText} characters` }], { file })
  const read = format === 'json' ? readJson(text, file) : await readYaml(text, file)
  try {
    // The constructor first checks that the value is a set of rules.
    const book = new Rulebook(read.value as unknown as RuleSet)
    const problems = check?.(book) ?? []
    if (problems.length > 0) throw new RulesError(problems)
    if (cases === 'refuse') refuseFailing(book, toolsFor)
    return book
  } catch (thrown) {
    throw thrown instanceof RulesError ? withLines(thrown, read, file) : thrown
  }
}

function refuseFailing(book: Rulebook, toolsFor: ToolsFor | undefined): void {
  const { failed } = runCases(book, undefined, { toolsFor })
  if (failed.length > 0) throw new RulesError(failed.map(({ index, message }) => ({ at: `/cases/${index}`, message })))
}

function withLines({ problems, cause }: RulesError, { lineOf }: LocatedText, file: string | undefined): RulesError {
  const placed = problems.map(({ at, message }) => ({ at, message, line: nearestLine(at, lineOf) }))
  return new RulesError(placed, { cause, file })
}
