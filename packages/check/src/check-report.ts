// What a check says in the end.

/** How much the specification wants it. ADVICE is ours: no page of that revision demands it, and careful servers do it. */
export const levels = ['MUST', 'SHOULD', 'ADVICE'] as const
export type Level = (typeof levels)[number]
/** What became of one demand. */
export type Outcome = 'enforced' | 'missing' | 'not-tried'

/** One message that went out and what came of it: cut short, with everything invisible written out. */
export type Evidence = { readonly sent: string; readonly came: string }

/** One demand, tried in one revision. */
export type CheckResult = {
  readonly id: string
  readonly level: Level
  readonly revision: string
  /** What is demanded, in our own words. */
  readonly sentence: string
  /** The page of the specification that demands it, without its revision. */
  readonly page: string
  /** How it was tried. */
  readonly how: string
  readonly outcome: Outcome
  /** What was found, or why it was not tried. */
  readonly detail: string
  readonly evidence: readonly Evidence[]
}

/** Everything a check found out about one server. */
export type CheckReport = {
  readonly target: string
  readonly server: { readonly name: string; readonly version: string } | undefined
  /** The revisions it speaks among those asked for, newest first. */
  readonly revisions: readonly string[]
  /** False when no conversation could be opened; then `trouble` says why. */
  readonly connected: boolean
  readonly trouble: string | undefined
  readonly results: readonly CheckResult[]
}

export type Counts = Record<Outcome, number>

/** How many came to what; of one level, or of all. */
export function countOutcomes(results: readonly Pick<CheckResult, 'level' | 'outcome'>[], level?: Level): Counts {
  const counts: Counts = { enforced: 0, missing: 0, 'not-tried': 0 }
  for (const result of results) if (level === undefined || result.level === level) counts[result.outcome]++
  return counts
}
