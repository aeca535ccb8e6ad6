// The page's copy of the queue: loaded from the gateway, and updated by events.
import { signal } from '@preact/signals'
import { ApiError, getJson, pathSegment } from '../../api/api.js'
import { onGatewayEvents } from '../../api/event-feed.js'
import type { Approval, ApprovalEvent, Approvals } from '../../api/types.js'
import { type Ending, endingOf } from '../endings.js'
import { ratePaced } from '../rate-paced.js'
import {
  type ApprovalQueue,
  emptyQueue,
  type QueueGroup,
  queueEntries,
  withApproval,
  withEndingsInQueue,
  withGroupPage,
  withoutEnded,
  withPage,
} from './queue.js'
import type { ShownCounts } from './shown-entries.js'

export const queue = signal<ApprovalQueue>(emptyQueue)
export const isQueueLoaded = signal(false)
/** Number of calls shown in each group, if more than at first. */
export const shownCounts = signal<ShownCounts>(new Map())
export const queueError = signal<unknown>(undefined)

const pageSize = 50
const soonMs = 120
/** Minimum time between two loads of the queue. */
const pauseMs = 1_000

/** Events were missed, so calls that are not on the next page loaded may have ended. */
let isOld = false

export async function loadQueue(): Promise<void> {
  try {
    const page = await getJson<Approvals>('/approvals', { limit: pageSize })
    const known = isOld ? { ...emptyQueue, endings: queue.value.endings } : queue.value
    queue.value = withPage(known, page)
    isOld = false
    queueError.value = undefined
    isQueueLoaded.value = true
  } catch (thrown) {
    queueError.value = thrown
  }
}

export async function loadMoreOf({ key, tool, server, caller, next }: QueueGroup): Promise<void> {
  const page = await getJson<Approvals>('/approvals', { limit: pageSize, tool, server: server ?? undefined, caller, after: next })
  queue.value = withGroupPage(queue.value, key, page)
}

export function noteEnding(id: string, ending: Ending): void {
  queue.value = withEndingsInQueue(queue.value, new Map([[id, ending]]))
}

let endedBefore: ReadonlySet<string> = new Set()

/** Removes calls that had already ended at the last run, except the selected one. */
export function dropEnded(looked: string | undefined): void {
  queue.value = withoutEnded(queue.value, (id) => id !== looked && endedBefore.has(id))
  endedBefore = new Set(queueEntries(queue.value).flatMap(({ approval, ending }) => (ending ? [approval.id] : [])))
}

/** Loads one call; returns false if it is no longer pending. */
export async function loadApproval(id: string): Promise<boolean> {
  try {
    queue.value = withApproval(queue.value, await getJson<Approval>(`/approvals/${pathSegment(id)}`))
    return true
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return false
    throw thrown
  }
}

/** Reloads a call that is shown already. Its ending arrives as an event. */
export async function refreshApproval(id: string): Promise<void> {
  try {
    await loadApproval(id)
  } catch (thrown) {
    queueError.value = thrown
  }
}

/** Keeps the queue up to date until the returned function is called. */
export function followQueue(): () => void {
  const heard = new Map<string, Ending>()
  const reading = ratePaced(loadQueue, pauseMs)
  const merge = () => {
    queue.value = withEndingsInQueue(queue.value, new Map(heard))
    heard.clear()
  }
  let merging: ReturnType<typeof setTimeout> | undefined
  const onApproval = (event: ApprovalEvent) => {
    if (event.what === 'asked') return reading.soon()
    heard.set(event.id, endingOf(event))
    merging ??= setTimeout(() => {
      merging = undefined
      merge()
      reading.soon()
    }, soonMs)
  }
  const over = new AbortController()
  onGatewayEvents(['approval'], onApproval, over.signal)
  // Any of these events may make a pending call outdated.
  onGatewayEvents(['pin', 'upstream', 'policy', 'config'], reading.soon, over.signal)
  const onMissed = () => {
    isOld = true
    reading.soon()
  }
  onGatewayEvents(['missed'], onMissed, over.signal)
  shownCounts.value = new Map()
  void loadQueue()
  return () => {
    over.abort()
    // Events are missed from now on.
    isOld = true
    clearTimeout(merging)
    reading.stop()
  }
}
