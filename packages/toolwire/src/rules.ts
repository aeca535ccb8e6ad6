export { asked } from './policy/rules/asked.js'
export { aboutTool, type CaseReport, type FailedCase, type NamedTool, runCases, type ToolsFor } from './policy/rules/cases.js'
export type { Verdict } from './policy/rules/compiled-rule.js'
export { type Considered, type Explanation, explain } from './policy/rules/explain.js'
export type { CallByName } from './policy/rules/facts.js'
export { namesTool } from './policy/rules/names-tool.js'
export { type ReadOptions, readRules } from './policy/rules/read-rules.js'
export { ReceivedLabels } from './policy/rules/received-labels.js'
export {
  type ArgumentCondition,
  type ArgumentSchema,
  type CallerCondition,
  type Case,
  type Decision,
  defineRules,
  type Label,
  type NameCondition,
  type Rule,
  type RuleName,
  type RuleSet,
  type When,
  type WrittenCall,
} from './policy/rules/rule-set.js'
export { type ReadOnlyClaims, Rulebook, type RulebookOptions } from './policy/rules/rulebook.js'
export { RulesError, type RulesProblem } from './policy/rules/rules-error.js'
export { ruleSetSchema } from './policy/rules/shape.js'
export type { Rules, RulesSource } from './policy/rules/source.js'
export { loadRules, type WatchedRules, type WatchOptions, watchRules } from './policy/rules/watch-rules.js'
export { type RulesOptions, type Ruling, rules } from './policy/rules.js'
