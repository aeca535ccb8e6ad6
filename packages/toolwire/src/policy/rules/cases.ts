import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { someFunction } from '../../tools/checks/option-values.js'
import { conditionOf } from './conditions/condition.js'
import { type Explanation, explain } from './explain.js'
import { type CallByName, describeTool } from './facts.js'
import type { Decision, RuleCase, RuleCondition, WrittenCall } from './rule-set.js'
import { type Rules, rulesInForce } from './rulebook.js'

/** A case whose call was not decided as expected. */
export type FailedCase = {
  readonly index: number
  readonly case: RuleCase
  readonly explanation: Explanation
  readonly message: string
}

/** A tool that a written call may be about. Its `arguments` are those that each of its calls has. */
export type NamedTool = Pick<CallByName, 'server' | 'tool' | 'ownName' | 'shadowed' | 'hints' | 'tags' | 'claims' | 'arguments'>

/** Returns the tools that a written call may be about, or a sentence that says why there are none. */
export type ToolsFor = (call: WrittenCall) => readonly NamedTool[] | string

/** Results of the cases. */
export type CaseReport = { readonly passed: number; readonly failed: readonly FailedCase[] }

const known = optionsOf<{ toolsFor?: ToolsFor }>()({ toolsFor: someFunction })

/**
 * Runs the cases of a set of rules, or other cases. If the tools are known, a case must hold for each tool that it may be about.
 *
 * @example
 * ```ts
 * const { failed } = runCases(await loadRules('rules.json'))
 * ```
 */
export function runCases(
  rules: Rules,
  cases?: readonly RuleCase[],
  options: { toolsFor?: ToolsFor | undefined } = {},
): CaseReport {
  checkOptions('runCases()', options, known)
  const book = rulesInForce(rules)()
  const tried = cases ?? book.set.cases ?? []
  const failed = tried.flatMap((one, index) => {
    const tools = options.toolsFor?.(one.call) ?? [{}]
    if (typeof tools === 'string')
      return [{ index, case: one, explanation: explain(book, one.call), message: `${nameOf(one)}: ${tools}` }]
    for (const tool of tools) {
      const explanation = explain(book, callToTool(one.call, tool))
      const message = differenceOf(one, explanation)
      if (message !== undefined) return [{ index, case: one, explanation, message }]
    }
    return []
  })
  return { passed: tried.length - failed.length, failed }
}

/** Adds the facts about the tool to the call. Arguments, hints and tags that are written in the call come first. */
export const callToTool = (call: WrittenCall, tool: Partial<NamedTool>): CallByName => {
  const { hints = call.hints, tags = call.tags, arguments: fixed, ...names } = tool
  const all = fixed && { arguments: { ...fixed, ...call.arguments } }
  return { ...call, ...names, ...all, ...(hints && { hints: call.hints ?? hints }), ...(tags && { tags: call.tags ?? tags }) }
}

const nameOf = (one: RuleCase): string => one.name ?? `a call to ${one.call.tool}`

function differenceOf(one: RuleCase, { decision, rule, why }: Explanation): string | undefined {
  const asExpected = decision === one.expect && (one.rule === undefined || one.rule === (rule ?? null))
  if (asExpected) return undefined
  const wanted = one.rule === undefined ? one.expect : `${one.expect} by ${named(one.rule)}`
  return `${nameOf(one)}: expected ${wanted}, got ${decision} by ${named(rule)} (${why})`
}

const named = (rule: string | null | undefined) => (rule == null ? 'the default' : JSON.stringify(rule))

/** Returns a test for the tools that a rule with this decision may be about, by the names in its condition alone. */
export function mayNameTool(
  { server, tool }: Pick<RuleCondition, 'server' | 'tool'>,
  decision: Decision,
): (one: NamedTool) => boolean {
  const { tool: test } = conditionOf({ server, tool }, decision === 'allow' ? 'sure' : 'maybe', '')
  return ({ hints: _, tags: __, ...names }) => test?.holds(describeTool(names)) ?? true
}
