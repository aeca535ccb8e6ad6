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
  once: 'no call is executed twice, and none that was refused',
  approval: 'no approval is used twice, and no decision is lost',
  records: 'every answered or executed call is in the audit log, and no record is in it twice',
  chains: 'every chain and every checkpoint verifies',
  answers: 'every caller gets one answer, its own, or a typed failure',
  rate: 'rate limits hold over all replicas, within 10 %',
  outage: 'a rolling restart fails no call of a client of 2026-07-28',
  sessions: 'a rolling restart ends no session but those that are a stream of HTTP+SSE',
  spool: 'with records on the local disk, calls that rules and limits allow go on while PostgreSQL is away',
  recovery: 'every client is served again within ten seconds',
}

export function countBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
