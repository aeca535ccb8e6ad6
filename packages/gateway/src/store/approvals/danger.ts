import type { PendingApproval } from 'toolwire/guard'

/** How much a call may do, from 0 on: it reads; it writes what may be written twice; it writes; it may destroy something. */
export function dangerRank({ readOnly, destructive, idempotent }: PendingApproval['hints']): number {
  if (readOnly) return 0
  if (destructive) return 3
  return idempotent ? 1 : 2
}
