// The queue as this page knows it: read from the gateway, and kept up with what is heard of it.
import { signal } from '@preact/signals'
import { ApiError, get, part } from '../api/api.js'
import { onEvent } from '../api/events.js'
import type { Approval, ApprovalEvent, Approvals } from '../api/types.js'
import { type Ending, endingOf } from './endings.js'
import { paced } from './paced.js'
import {
  allEntries,
  emptyQueue,
  type Group,
  type Queue,
  withExpired,
  withGroupPage,
  withNews,
  withOne,
  withoutEnded,
  withPage,
} from './queue.js'

export const queue = signal<Queue>(emptyQueue)
export const isLoaded = signal(false)
export const trouble = signal<unknown>(undefined)

const pageSize = 50
const soonMs = 120
/** In a flood the queue is read once in a second. */
const pauseMs = 1_000
const tickMs = 500

/** Events were missed: of what is not on the page that comes nothing is known. */
let isOld = false

export async function load(): Promise<void> {
  try {
    const page = await get<Approvals>('/approvals', { limit: pageSize })
    const known = isOld ? { ...emptyQueue, endings: queue.value.endings } : queue.value
    queue.value = withExpired(withPage(known, page), Date.now())
    isOld = false
    trouble.value = undefined
    isLoaded.value = true
  } catch (thrown) {
    trouble.value = thrown
  }
}

export async function loadMoreOf({ key, tool, server, caller, next }: Group): Promise<void> {
  const page = await get<Approvals>('/approvals', { limit: pageSize, tool, server: server ?? undefined, caller, after: next })
  queue.value = withGroupPage(queue.value, key, page)
}

/** What became of a call, as it was heard here. */
export function tellEnding(id: string, ending: Ending): void {
  queue.value = withNews(queue.value, new Map([[id, ending]]))
}

let endedBefore: ReadonlySet<string> = new Set()

/** Drops what had ended already the last time, except the one that is looked at. */
export function tidy(looked: string | undefined): void {
  queue.value = withoutEnded(queue.value, (id) => id !== looked && endedBefore.has(id))
  endedBefore = new Set(allEntries(queue.value).flatMap(({ approval, ending }) => (ending ? [approval.id] : [])))
}

/** One call as it is now. False when it waits no more. */
export async function loadOne(id: string): Promise<boolean> {
  try {
    queue.value = withOne(queue.value, await get<Approval>(`/approvals/${part(id)}`))
    return true
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return false
    throw thrown
  }
}

/** The same for a call that is shown already; where it waits no more, that is heard by itself. */
export async function refreshOne(id: string): Promise<void> {
  try {
    await loadOne(id)
  } catch (thrown) {
    trouble.value = thrown
  }
}

/** Keeps up with what happens, until the returned function is called. */
export function follow(): () => void {
  const heard = new Map<string, Ending>()
  const reading = paced(load, pauseMs)
  const merge = () => {
    queue.value = withExpired(withNews(queue.value, new Map(heard)), Date.now())
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
  const stops = [
    onEvent('approval', onApproval),
    // A call that waits may be out of date by any of these.
    ...(['pin', 'upstream', 'policy', 'config'] as const).map((kind) => onEvent(kind, () => reading.soon())),
    onEvent('missed', () => {
      isOld = true
      reading.soon()
    }),
  ]
  const ticking = setInterval(() => {
    queue.value = withExpired(queue.value, Date.now())
  }, tickMs)
  void load()
  return () => {
    for (const stop of stops) stop()
    // What happens from now on is not heard.
    isOld = true
    clearInterval(ticking)
    clearTimeout(merging)
    reading.stop()
  }
}
