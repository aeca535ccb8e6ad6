import { nearestLine } from '../../../json/pointer.js'
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

const longestText = 1_048_576

/**
 * Reads rules from a text, or throws a RulesError that names the lines. YAML needs the package `yaml`.
 *
 * @example
 * ```ts
 * const book = await readRules('{ "rules": [], "default": "ask" }')
 * ```
 */
export async function readRules(text: string, options: ReadRulesOptions = {}): Promise<Rulebook> {
  const { format = 'yaml', file, cases = 'refuse', toolsFor, check } = options
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
