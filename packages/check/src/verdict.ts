import type { Outcome } from './check-report.js'

export type Verdict = {
  readonly outcome: Outcome
  readonly detail: string
  /** The check applies, but could not be carried out. */
  readonly isCutShort?: true
}

export const enforced = (detail: string): Verdict => ({ outcome: 'enforced', detail })
export const missingBecause = (detail: string): Verdict => ({ outcome: 'missing', detail })
export const notTried = (detail: string): Verdict => ({ outcome: 'not-tried', detail })
export const cutShort = (detail: string): Verdict => ({ ...notTried(detail), isCutShort: true })

export const enforcedIf = (is: unknown, good: string, fault: string): Verdict => (is ? enforced(good) : missingBecause(fault))

/** Missing with the first fault whose value is false; enforced if there is none. */
export const enforcedIfAll = (good: string, faults: { readonly [fault: string]: boolean }): Verdict =>
  enforcedUnless(
    Object.keys(faults).filter((fault) => !faults[fault]),
    good,
  )

/** Missing with the words for the first item at fault; enforced if there is none. */
export const enforcedUnlessAny = <T>(atFault: readonly T[], words: (one: T) => string, good: string): Verdict =>
  enforcedUnless(atFault.map(words), good)

/** Missing with the first of these faults; enforced if there is none. */
export function enforcedUnless(faults: readonly string[], good: string): Verdict {
  const [fault] = faults
  if (fault === undefined) return enforced(good)
  return missingBecause(faults.length === 1 ? fault : `${fault} (and ${faults.length - 1} more)`)
}
