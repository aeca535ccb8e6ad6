/** Properties that every history must have, in the order of the table. */
export const invariants = [
  'once',
  'approval',
  'records',
  'chains',
  'answers',
  'rate',
  'outage',
  'sessions',
  'spool',
  'recovery',
] as const
export type Invariant = (typeof invariants)[number]

export type Violation = { readonly invariant: Invariant; readonly text: string }

/** The meaning of each column of the table. */
export const meanings: Readonly<Record<Invariant, string>> = {
  once: 'no call is executed twice, and no refused call is executed',
  approval: 'no approval is used twice, and no decision is lost',
  records: 'every answered or executed call is in the audit log, and no record is written twice',
  chains: 'every chain and every checkpoint verifies',
  answers: 'every caller gets exactly one answer, its own result or a typed failure',
  rate: 'rate limits hold over all replicas, within 10 %',
  outage: 'a rolling restart fails no call of a client of 2026-07-28',
  sessions: 'a rolling restart ends only sessions that are a stream of HTTP+SSE',
  spool: 'with records on the local disk, allowed calls go on while PostgreSQL is unavailable',
  recovery: 'every client is served again within ten seconds',
}

export function countBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
