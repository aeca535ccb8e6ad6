import type { RuleSet } from './rule-set.js'
import { Rulebook } from './rulebook.js'

/** Where the rules in force come from; they may change. */
export type RulesSource = { readonly current: Rulebook | undefined }

/** Rules as a value, made ready, or from somewhere else. */
export type Rules = RuleSet | Rulebook | RulesSource

/** Gives the rules in force each time; a set that is a value is refused here if it cannot be used. */
export function rulesInForce(rules: Rules): () => Rulebook {
  if (rules instanceof Rulebook) return () => rules
  if (!('current' in rules)) {
    const book = new Rulebook(rules)
    return () => book
  }
  return () => {
    const { current } = rules
    if (!(current instanceof Rulebook)) throw new Error('There are no rules in force')
    return current
  }
}
