// The report by requirement: each once, with its results in all revisions.
import { type CheckReport, type CheckResult, levels, type Outcome } from '../check-report.js'

export type Requirement = Pick<CheckResult, 'id' | 'level' | 'sentence'> & {
  /** Missing if it is missing in one revision; else enforced if it is enforced in one. */
  readonly outcome: Outcome
  /** Newest revision first. */
  readonly results: readonly CheckResult[]
}

/** Requirements by level: MUST first. */
export function requirementsOf({ results }: CheckReport): Requirement[] {
  const byId = new Map<string, CheckResult[]>()
  for (const result of results) byId.set(result.id, [...(byId.get(result.id) ?? []), result])
  const demands = [...byId.values()].flatMap((own) => own.slice(0, 1).map((first) => requirementOf(first, own)))
  return levels.flatMap((level) => demands.filter((demand) => demand.level === level))
}

function requirementOf({ id, level, sentence }: CheckResult, results: readonly CheckResult[]): Requirement {
  const outcome = (['missing', 'enforced'] as const).find((one) => results.some((result) => result.outcome === one))
  return { id, level, sentence, outcome: outcome ?? 'not-tried', results }
}

/** Groups the revisions that have the same finding; `first` is the result of the first of them. */
export function findingsOf({
  results,
  outcome,
}: Requirement): { readonly revisions: readonly string[]; readonly first: CheckResult }[] {
  const byDetail = new Map<string, CheckResult[]>()
  for (const result of results)
    if (result.outcome === outcome) byDetail.set(result.detail, [...(byDetail.get(result.detail) ?? []), result])
  return [...byDetail.values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({ revisions: own.map(({ revision }) => revision), first })),
  )
}
