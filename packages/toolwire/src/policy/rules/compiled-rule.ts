import type { Caller } from '../../tools/caller.js'
import { type Condition, conditionOf } from './conditions/condition.js'
import type { CallFacts, ToolFacts } from './facts.js'
import type { Decision, ResultLabel, Rule } from './rule-set.js'

/** What the rules say about one call. */
export type RuleVerdict = {
  readonly decision: Decision
  /** The rule that decided; undefined where none matched and the default did. */
  readonly rule: Rule | undefined
  /** The rules whose limits and timeouts hold for the call. */
  readonly terms: readonly Rule[]
  /** It is allowed because its server says that the tool only reads, which nobody has verified. */
  readonly byClaim?: true
}

/** A rule made ready. It lets through what certainly fits its condition, and stops what may. */
export type CompiledRule = {
  readonly rule: Rule
  /** When this holds, the rule decides. */
  readonly decides: Condition
  /** When this holds and the rule does not decide, later rules may deny the call, but not let it through unasked. */
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

/** A rule as far as it concerns one tool: what must still be tested when a call comes. */
export type RuleStep = {
  readonly rule: Rule
  readonly decides: CallCondition | undefined
  readonly cautions: CallCondition | undefined
  /** What comes of it when it decides and no rule before it has asked for caution: made once for all calls. */
  readonly verdict: RuleVerdict
}
/** What is left of a condition once the tool is known. */
type CallCondition = Omit<Condition, 'tool'>

/** The steps that calls of a tool must take; those behind one that always decides are never reached. */
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

/** A label, and which calls may carry it. */
export const compileLabel = (label: ResultLabel, at: string) => ({ label, fits: conditionOf(label.when, 'maybe', `${at}/when`) })

export const callConditionOf = (condition: Condition, about: ToolFacts): CallCondition | undefined =>
  (condition.tool?.holds(about) ?? true) ? condition : undefined

/** Whether it takes a call, and not only a tool and a caller, to tell. */
export const dependsOnCall = (rest: CallCondition): boolean =>
  rest.arguments !== undefined || rest.call !== undefined || rest.received !== undefined

/** Whether what is left of a condition holds. */
export const conditionHolds = (rest: CallCondition, facts: CallFacts): boolean =>
  callerConditionHolds(rest, facts.caller) &&
  (rest.received?.holds(facts) ?? true) &&
  (rest.arguments?.holds(facts.arguments) ?? true) &&
  (rest.call?.holds(facts) ?? true)

export const callerConditionHolds = (rest: CallCondition, caller: Caller): boolean => rest.caller?.holds(caller) ?? true

/** Why a condition does not hold; undefined when it does. */
export const whyNotHolding = (condition: Condition, facts: CallFacts): string | undefined =>
  condition.tool?.why(facts.about) ??
  condition.caller?.why(facts.caller) ??
  condition.received?.why(facts) ??
  condition.arguments?.why(facts.arguments) ??
  condition.call?.why(facts)
