import { visibleLine } from '../../text/visible.js'
import type { ToolCall } from '../../tools/tool.js'
import { type CompiledRule, type RuleVerdict, whyNotHolding } from './compiled-rule.js'
import { type CallByName, type CallFacts, factsOf, writtenFacts } from './facts.js'
import type { Decision, Rule, RuleName } from './rule-set.js'
import { type Rulebook, type Rules, rulesInForce } from './rulebook.js'

export type ConsideredRule<Name extends string = string> = {
  readonly rule: Name
  readonly decision: Decision
  /** The rule decided, did not fit, or could not be ruled out, so that the call is asked about at least. */
  readonly outcome: 'decided' | 'did not fit' | 'might fit'
  readonly why?: string
}

/** The rule that decides about a call, and the reason. */
export type Explanation<Name extends string = string> = {
  readonly decision: Decision
  /** Undefined if no rule matched, or if the rules could not be evaluated. */
  readonly rule: Name | undefined
  readonly why: string
  /** True if the caller does not see the tool at all, because no call of theirs to it can be allowed. */
  readonly hidden: boolean
  readonly considered: readonly ConsideredRule<Name>[]
  /** The rules whose limits and timeouts hold. */
  readonly terms: readonly Pick<Rule, 'name' | 'limit' | 'timeout'>[]
}

/**
 * Explains the decision of the rules about a call, without making the call.
 *
 * @example
 * ```ts
 * const { decision } = explain(await loadRules('rules.json'), { tool: 'delete_order', arguments: { id: 7 } })
 * ```
 */
export function explain<const S extends Rules>(rules: S, call: CallByName | ToolCall): Explanation<RuleName<S>> {
  const facts = 'context' in call ? factsOf(call) : writtenFacts(call)
  // The names in the answer are those of the set.
  return explained(rulesInForce(rules), facts) as Explanation<RuleName<S>>
}

function explained(current: () => Rulebook, facts: CallFacts): Explanation {
  try {
    const book = current()
    const steps = book.stepsFor(facts.about)
    const ruleVerdict = book.decide(steps, facts)
    const hidden = book.hidden(steps, facts.about, facts.caller)
    const terms = ruleVerdict.terms.map(({ name, limit, timeout }) => ({ name, limit, timeout }))
    const considered = consider(book.rules, facts)
    const why = visibleLine(whyOf(ruleVerdict, book))
    return { decision: ruleVerdict.decision, rule: ruleVerdict.rule?.name, why, hidden, considered, terms }
  } catch (thrown) {
    const why = visibleLine(`the rules could not be evaluated: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    return { decision: 'deny', rule: undefined, why, hidden: false, considered: [], terms: [] }
  }
}

function whyOf({ decision, rule, terms, byClaim }: RuleVerdict, { set }: Rulebook): string {
  if (rule && rule.decision === decision && terms.length > 1)
    return `${quoted(rule)} may apply to this call, so the call needs approval`
  if (rule) return `${quoted(rule)} is the first rule that matches${rule.because ? `: ${rule.because}` : ''}`
  if (set.default) return `no rule matches, and the default is ${set.default}`
  const [caution] = terms
  if (caution) return `${quoted(caution)} may apply to this call, so the call needs approval`
  if (byClaim) return 'no rule matches, and the server says that the tool only reads, which is not verified'
  return decision === 'ask' ? 'no rule matches, and the tool may change something' : 'no rule matches, and the tool only reads'
}

const quoted = ({ name }: Rule) => JSON.stringify(name)

function consider(rules: readonly CompiledRule[], facts: CallFacts): ConsideredRule[] {
  const considered: ConsideredRule[] = []
  for (const { rule, decides, cautions } of rules) {
    const why = whyNotHolding(decides, facts)
    const about = { rule: rule.name, decision: rule.decision }
    if (why === undefined) return [...considered, { ...about, outcome: 'decided' }]
    const mightFit = cautions !== undefined && whyNotHolding(cautions, facts) === undefined
    considered.push({ ...about, outcome: mightFit ? 'might fit' : 'did not fit', why: visibleLine(why) })
  }
  return considered
}
