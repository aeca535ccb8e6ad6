// The calls of the queue that are on the page, in order.
import type { ApprovalQueue, QueueEntry, QueueGroup } from './queue.js'

/** Number of calls of a group shown at first, and added each time. */
export const shownAtFirst = 5
export const shownMoreEach = 50

/** Number of calls shown, by group key. */
export type ShownCounts = ReadonlyMap<string, number>

/** The first calls of a group, and the selected one wherever it is. */
export function shownEntries(
  { key, entries }: QueueGroup,
  reach: ShownCounts,
  chosen: string | undefined,
): readonly QueueEntry[] {
  const most = reach.get(key) ?? shownAtFirst
  return entries.filter(({ approval }, index) => index < most || approval.id === chosen)
}

export const shownIds = ({ groups }: ApprovalQueue, reach: ShownCounts, chosen: string | undefined): readonly string[] =>
  groups.flatMap((group) => shownEntries(group, reach, chosen).map(({ approval }) => approval.id))

/** The id before or after; at the ends it stays the same. */
export function neighbour(ids: readonly string[], id: string | undefined, step: 1 | -1): string | undefined {
  const at = id === undefined ? -1 : ids.indexOf(id)
  if (at < 0) return ids[0]
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))]
}
