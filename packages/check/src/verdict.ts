import type { Outcome } from './check-report.js'

/** What one row came to. */
export type Verdict = { readonly outcome: Outcome; readonly detail: string }

export const enforced = (detail: string): Verdict => ({ outcome: 'enforced', detail })
export const missingBecause = (detail: string): Verdict => ({ outcome: 'missing', detail })
export const notTried = (detail: string): Verdict => ({ outcome: 'not-tried', detail })

/** Enforced or missing, each in its words. */
export const enforcedIf = (is: unknown, good: string, fault: string): Verdict => (is ? enforced(good) : missingBecause(fault))

/** Missing for the first of these faults that is not excluded, or enforced. */
export const enforcedIfAll = (good: string, faults: { readonly [fault: string]: boolean }): Verdict =>
  enforcedUnless(
    Object.keys(faults).filter((fault) => !faults[fault]),
    good,
  )

/** Missing for the first of those that are at fault, in these words, or enforced. */
export const enforcedUnlessAny = <T>(atFault: readonly T[], words: (one: T) => string, good: string): Verdict =>
  enforcedUnless(atFault.map(words), good)

/** Missing for the first of these reasons, or enforced. */
export function enforcedUnless(faults: readonly string[], good: string): Verdict {
  const [fault] = faults
  if (fault === undefined) return enforced(good)
  return missingBecause(faults.length === 1 ? fault : `${fault} (and ${faults.length - 1} more)`)
}
