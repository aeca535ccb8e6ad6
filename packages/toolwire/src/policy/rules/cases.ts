import { type Explanation, explain } from './explain.js'
import type { Case } from './rule-set.js'
import { inForce, type Rules } from './source.js'

/** A case whose call was not decided as it should be. */
export type FailedCase = {
  /** Its place among the cases, from 0. */
  readonly index: number
  readonly case: Case
  readonly explanation: Explanation
  readonly message: string
}

/** How the cases went. */
export type CaseReport = { readonly passed: number; readonly failed: readonly FailedCase[] }

/** Tries the cases that stand beside the rules, or others. */
export function runCases(rules: Rules, cases?: readonly Case[]): CaseReport {
  const book = inForce(rules)()
  const tried = cases ?? book.set.cases ?? []
  const failed = tried.flatMap((one, index) => {
    const explanation = explain(book, one.call)
    const message = differenceOf(one, explanation)
    return message === undefined ? [] : [{ index, case: one, explanation, message }]
  })
  return { passed: tried.length - failed.length, failed }
}

function differenceOf(one: Case, { decision, rule, why }: Explanation): string | undefined {
  const asExpected = decision === one.expect && (one.rule === undefined || one.rule === (rule ?? null))
  if (asExpected) return undefined
  const wanted = one.rule === undefined ? one.expect : `${one.expect} by ${named(one.rule)}`
  return `${one.name ?? `a call to ${one.call.tool}`}: expected ${wanted}, got ${decision} by ${named(rule)} (${why})`
}

const named = (rule: string | null | undefined) => (rule == null ? 'the default' : JSON.stringify(rule))
