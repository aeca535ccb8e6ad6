import { type Rulebook, type RuleCase, runCases, type ToolsFor } from 'toolwire/rules'
import type { CaseView } from './policy-editor.js'
import type { RuleLines } from './rule-lines.js'

/** Each of the cases that stand beside the rules, and how it goes. */
export function caseViews(book: Rulebook, lines: RuleLines, toolsFor: ToolsFor): readonly CaseView[] {
  return (book.set.cases ?? []).map((one, index) => {
    const [failed] = runCases(book, [one], { toolsFor }).failed
    const line = lines.cases[index]
    const expected = saidBy(one.expect, one.rule)
    return {
      name: one.name ?? `a call to ${one.call.tool}`,
      tool: one.call.tool,
      ok: failed === undefined,
      expected,
      actual: failed ? saidBy(failed.explanation.decision, failed.explanation.rule ?? null) : expected,
      ...(failed && { why: failed.message }),
      ...(line !== undefined && { line }),
    }
  })
}

const saidBy = (decision: string, rule: RuleCase['rule']): string =>
  rule === undefined ? decision : `${decision} by ${rule === null ? 'the default' : rule}`
