import type { ThreadClient } from '../thread-client.js'
import type { AuditCall } from './audit-query.js'

/** Calls since a moment, with some of those before it; but no more of them than so many: the latest. */
export type PastCallsQuery = { readonly from: number; readonly most: number; readonly signal: AbortSignal }

/** Others ask the thread in between. */
const pageSize = 1_000

/** Up to this record of the log, in its order. */
export async function* pastCalls(
  threadClient: ThreadClient,
  { from, most, signal }: PastCallsQuery,
  until: number,
): AsyncGenerator<readonly AuditCall[]> {
  const first = await threadClient.run('firstSince', from)
  if (first === undefined) return
  // Of each call there are two records.
  let after = Math.max(first - 1, until - 2 * most)
  while (after < until && !signal.aborted) {
    const page = await threadClient.run('callsAfter', after, pageSize)
    const last = page.at(-1)
    if (!last) return
    yield page.filter(({ sequence }) => sequence <= until)
    after = last.sequence
  }
}
