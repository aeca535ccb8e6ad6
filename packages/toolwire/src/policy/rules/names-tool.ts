import { effectiveHints } from '../../tools/hints.js'
import type { NamedTool } from './cases.js'
import { conditionOf } from './conditions/condition.js'
import type { Decision, RuleCondition } from './rule-set.js'

/** Tells of tools whether a rule that decides so may be about them, going by the names in its condition alone. */
export function mayNameTool(
  { server, tool }: Pick<RuleCondition, 'server' | 'tool'>,
  decision: Decision,
): (one: NamedTool) => boolean {
  const when = { ...(server !== undefined && { server }), ...(tool !== undefined && { tool }) }
  const { tool: test } = conditionOf(when, decision === 'allow' ? 'sure' : 'maybe', '')
  const nothing = { hints: effectiveHints(), tags: [] }
  return ({ hints: _, tags: __, ownName, shadowed, ...names }) =>
    test?.holds({
      ...names,
      ...(ownName !== names.tool && ownName !== undefined && { ownName }),
      ...(shadowed && { shadowed }),
      ...nothing,
    }) ?? true
}
