export { isAskedByRule } from './policy/rules/asked.js'
export { type CaseReport, callToTool, type FailedCase, type NamedTool, runCases, type ToolsFor } from './policy/rules/cases.js'
export type { RuleVerdict } from './policy/rules/compiled-rule.js'
export { type ConsideredRule, type Explanation, explain } from './policy/rules/explain.js'
export type { CallByName } from './policy/rules/facts.js'
export { mayNameTool } from './policy/rules/names-tool.js'
export { type ReadRulesOptions, readRules } from './policy/rules/read-rules.js'
export { ReceivedLabels } from './policy/rules/received-labels.js'
export {
  type ArgumentCondition,
  type ArgumentSchema,
  type CallerCondition,
  type Decision,
  defineRules,
  type NameCondition,
  type ResultLabel,
  type Rule,
  type RuleCase,
  type RuleCondition,
  type RuleName,
  type RuleSet,
  type WrittenCall,
} from './policy/rules/rule-set.js'
export { type ReadOnlyClaims, Rulebook, type RulebookOptions } from './policy/rules/rulebook.js'
export { RulesError, type RulesProblem } from './policy/rules/rules-error.js'
export { ruleSetSchema } from './policy/rules/shape.js'
export type { Rules, RulesSource } from './policy/rules/source.js'
export { loadRules, type WatchedRules, type WatchRulesOptions, watchRules } from './policy/rules/watch-rules.js'
export { type RulesOptions, type RulesPolicy, rules } from './policy/rules.js'
