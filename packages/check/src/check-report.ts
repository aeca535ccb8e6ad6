/** The obligation. ADVICE is ours: no page of that revision demands it, but careful servers do it. */
export const levels = ['MUST', 'SHOULD', 'ADVICE'] as const
export type Level = (typeof levels)[number]
export type Outcome = 'enforced' | 'missing' | 'not-tried'

/** One message that was sent, and the reply: both shortened, with invisible characters written out. */
export type Evidence = { readonly sent: string; readonly came: string }

/** The result of one check in one revision. */
export type CheckResult = {
  readonly id: string
  readonly level: Level
  readonly revision: string
  /** The requirement, in our own words. */
  readonly sentence: string
  /** The page of the specification that demands it, without its revision. */
  readonly page: string
  /** The method of the check. */
  readonly how: string
  readonly outcome: Outcome
  /** The finding, or the reason why the check was not tried. */
  readonly detail: string
  readonly evidence: readonly Evidence[]
}

export type CheckReport = {
  readonly target: string
  readonly server: { readonly name: string; readonly version: string } | undefined
  /** The requested revisions that the server speaks, newest first. */
  readonly revisions: readonly string[]
  /** False if no session could be opened. */
  readonly connected: boolean
  /** The reason why no session could be opened, or why the check is incomplete. */
  readonly trouble: string | undefined
  readonly results: readonly CheckResult[]
}

export type Counts = Record<Outcome, number>

/** Counts the results by outcome: those of one level, or all. */
export function countOutcomes(results: readonly Pick<CheckResult, 'level' | 'outcome'>[], level?: Level): Counts {
  const counts: Counts = { enforced: 0, missing: 0, 'not-tried': 0 }
  for (const result of results) if (level === undefined || result.level === level) counts[result.outcome]++
  return counts
}
