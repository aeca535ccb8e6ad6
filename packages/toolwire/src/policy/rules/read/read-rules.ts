import { runCases, type ToolsFor } from '../cases.js'
import type { RuleSet } from '../rule-set.js'
import { Rulebook } from '../rulebook.js'
import { RulesError, type RulesProblem } from '../rules-error.js'
import { type LocatedText, readJson } from './read-json.js'
import { readYaml } from './read-yaml.js'

/** How a text of rules is to be read. */
export type ReadRulesOptions = {
  readonly format?: 'json' | 'yaml'
  /** For messages. */
  readonly file?: string
  /** Whether rules that fail their own cases are refused, which they are unless this is 'ignore'. */
  readonly cases?: 'refuse' | 'ignore'
  /** Which tools cases may be about, where that is known. */
  readonly toolsFor?: ToolsFor
  /** What is wrong with rules beyond what can be seen in them, such as names of servers that are not there: these rules are refused. */
  readonly check?: (rules: Rulebook) => readonly RulesProblem[]
}

const longestText = 1_048_576

/**
 * Reads rules from a text, or throws a RulesError that names the lines. YAML needs the package `yaml`.
 *
 * @example
 * ```ts
 * const book = await readRules('{ "rules": [], "otherwise": "ask" }')
 * ```
 */
export async function readRules(text: string, options: ReadRulesOptions = {}): Promise<Rulebook> {
  const { format = 'yaml', file, cases = 'refuse', toolsFor, check } = options
  if (text.length > longestText) throw new RulesError([{ at: '', message: `is longer than ${longestText} characters` }], { file })
  const read = format === 'json' ? readJson(text, file) : await readYaml(text, file)
  try {
    // Whether it is a set of rules is the first thing that is looked at there.
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

/** What is missing stands nowhere; then the line is that of what it is missing from. */
function nearestLine(at: string, lineOf: LocatedText['lineOf']): number | undefined {
  for (let place = at; place !== ''; place = place.slice(0, place.lastIndexOf('/'))) {
    const line = lineOf(place)
    if (line !== undefined) return line
  }
  return lineOf('')
}
