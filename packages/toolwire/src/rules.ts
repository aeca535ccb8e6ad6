export { isAskedByRule } from './policy/rules/ask-mark.js'
export { type CaseReport, callToTool, type FailedCase, type NamedTool, runCases, type ToolsFor } from './policy/rules/cases.js'
export type { RuleVerdict } from './policy/rules/compiled-rule.js'
export { type ConsideredRule, type Explanation, explain } from './policy/rules/explain.js'
export type { CallByName } from './policy/rules/facts.js'
export { type RulesOptions, type RulesPolicy, rules } from './policy/rules/index.js'
export { mayNameTool } from './policy/rules/names-tool.js'
export { type ReadRulesOptions, readRules } from './policy/rules/read/read-rules.js'
export { loadRules, type WatchedRules, type WatchRulesOptions, watchRules } from './policy/rules/read/watch-rules.js'
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
export { ruleSetSchema } from './policy/rules/rule-set-schema.js'
export { type ReadOnlyClaims, Rulebook, type RulebookOptions } from './policy/rules/rulebook.js'
export { RulesError, type RulesProblem } from './policy/rules/rules-error.js'
export type { Rules, RulesSource } from './policy/rules/rules-source.js'
