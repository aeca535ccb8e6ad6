import type { Caller } from '../../tools/caller.js'
import { type Condition, conditionOf } from './conditions/condition.js'
import type { CallFacts, ToolFacts } from './facts.js'
import type { Decision, ResultLabel, Rule } from './rule-set.js'

export type RuleVerdict = {
  readonly decision: Decision
  /** The rule that decided; undefined if the default did. */
  readonly rule: Rule | undefined
  /** The rules whose limits and timeouts hold for the call. */
  readonly terms: readonly Rule[]
  /** Set if the call is allowed because its server claims that the tool is read-only, which nobody has verified. */
  readonly byClaim?: true
}

/** A compiled rule. It allows only calls that certainly fit its condition, and stops those that may fit. */
export type CompiledRule = {
  readonly rule: Rule
  /** If this holds, the rule decides. */
  readonly decides: Condition
  /** If this holds and the rule does not decide, later rules may deny the call, but not allow it unasked. */
  readonly cautions: Condition | undefined
}

export function compileRule(rule: Rule, at: string): CompiledRule {
  const { when = {}, decision } = rule
  const place = `${at}/when`
  return {
    rule,
    decides: conditionOf(when, decision === 'deny' ? 'maybe' : 'sure', place),
    cautions: decision === 'ask' ? conditionOf(when, 'maybe', place) : undefined,
  }
}

/** A rule for one tool, with the conditions that must still be tested for each call. */
export type RuleStep = {
  readonly rule: Rule
  readonly decides: CallCondition | undefined
  readonly cautions: CallCondition | undefined
  /** The verdict if the rule decides and no earlier rule asks for caution. Made once for all calls. */
  readonly verdict: RuleVerdict
}
/** The rest of a condition once the tool is known. */
type CallCondition = Omit<Condition, 'tool'>

/** The steps for calls of a tool. Steps behind one that always decides are left out. */
export function stepsFor(rules: readonly CompiledRule[], about: ToolFacts): readonly RuleStep[] {
  const steps: RuleStep[] = []
  for (const { rule, decides, cautions } of rules) {
    const verdict = { decision: rule.decision, rule, terms: [rule] }
    const sure = callConditionOf(decides, about)
    const caution = cautions && callConditionOf(cautions, about)
    if (sure || caution) steps.push({ rule, decides: sure, cautions: caution, verdict })
    if (sure && !sure.caller && !dependsOnCall(sure)) break
  }
  return steps
}

/** A label, and the condition of the calls that may carry it. */
export const compileLabel = (label: ResultLabel, at: string) => ({ label, fits: conditionOf(label.when, 'maybe', `${at}/when`) })

export const callConditionOf = (condition: Condition, about: ToolFacts): CallCondition | undefined =>
  (condition.tool?.holds(about) ?? true) ? condition : undefined

/** True if the rest of a condition depends on the call, and not only on the tool and the caller. */
export const dependsOnCall = (rest: CallCondition): boolean =>
  rest.arguments !== undefined || rest.call !== undefined || rest.received !== undefined

export const conditionHolds = (rest: CallCondition, facts: CallFacts): boolean =>
  callerConditionHolds(rest, facts.caller) &&
  (rest.received?.holds(facts) ?? true) &&
  (rest.arguments?.holds(facts.arguments) ?? true) &&
  (rest.call?.holds(facts) ?? true)

export const callerConditionHolds = (rest: CallCondition, caller: Caller): boolean => rest.caller?.holds(caller) ?? true

/** Returns the reason why a condition does not hold; undefined if it holds. */
export const whyNotHolding = (condition: Condition, facts: CallFacts): string | undefined =>
  condition.tool?.why(facts.about) ??
  condition.caller?.why(facts.caller) ??
  condition.received?.why(facts) ??
  condition.arguments?.why(facts.arguments) ??
  condition.call?.why(facts)
