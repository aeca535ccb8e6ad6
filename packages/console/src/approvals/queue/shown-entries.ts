// Which calls of the queue are on the page, and which one comes after which.
import type { ApprovalQueue, QueueEntry, QueueGroup } from './queue.js'

/** How many calls of a group are shown at first, and how many more each time. */
export const shownAtFirst = 5
export const shownMoreEach = 50

/** By key of the group. */
export type ShownCounts = ReadonlyMap<string, number>

/** The first of a group, and the one that is looked at wherever it stands. */
export function entriesShown(
  { key, entries }: QueueGroup,
  reach: ShownCounts,
  looked: string | undefined,
): readonly QueueEntry[] {
  const most = reach.get(key) ?? shownAtFirst
  return entries.filter(({ approval }, index) => index < most || approval.id === looked)
}

/** The ids in the order in which they stand on the page. */
export const idsShown = ({ groups }: ApprovalQueue, reach: ShownCounts, looked: string | undefined): readonly string[] =>
  groups.flatMap((group) => entriesShown(group, reach, looked).map(({ approval }) => approval.id))

/** The one before or after; at the ends it stays. */
export function neighbour(ids: readonly string[], id: string | undefined, step: 1 | -1): string | undefined {
  const at = id === undefined ? -1 : ids.indexOf(id)
  if (at < 0) return ids[0]
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))]
}
