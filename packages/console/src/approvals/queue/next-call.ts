import { replaceRoute } from '../../page/route.js'
import { queue } from './follow-queue.js'
import { type QueueEntry, queueEntries } from './queue.js'

/** Goes on to the call that waits below the one that was just decided, or to the first; stays where none waits. */
export function goToNext(decided: string): void {
  const all = queueEntries(queue.value)
  const at = all.findIndex(({ approval }) => approval.id === decided)
  const waits = ({ ending, approval }: QueueEntry) => !ending && approval.id !== decided
  const next = all.slice(at + 1).find(waits) ?? all.find(waits)
  if (next) replaceRoute(['approvals', next.approval.id])
}
