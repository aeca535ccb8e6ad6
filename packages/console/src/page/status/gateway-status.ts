// The gateway's status and the numbers of pending items, shown by the navigation and the tab in every view.
import { signal } from '@preact/signals'
import { getJson } from '../../api/api.js'
import { onGatewayEvents } from '../../api/event-feed.js'
import { oneAtATime } from '../../api/one-at-a-time.js'
import type { Approvals, EventKind, Pins, Status } from '../../api/types.js'

export const gatewayStatus = signal<Status | undefined>(undefined)
export const pendingCount = signal(0)
/** Number of pending definitions. */
export const withheldCount = signal(0)

const restMs = 400
const againMs = 2_000

/** Keeps these signals up to date until the signal aborts. */
export function followGatewayStatus(ended: AbortSignal): void {
  /** Loads now and after events, at most once per `restMs`; retries after a failure. */
  function follow(kinds: readonly EventKind[], load: () => Promise<void>): void {
    const ask = oneAtATime(() => load().catch(() => void (ended.aborted || setTimeout(ask, againMs))), restMs)
    onGatewayEvents([...kinds, 'missed'], ask, ended)
    ask()
  }
  follow(['upstream', 'pin', 'policy', 'config', 'audit'], async () => {
    gatewayStatus.value = await getJson<Status>('/status', {}, ended)
  })
  follow(['pin'], async () => {
    withheldCount.value = (await getJson<Pins>('/pins', {}, ended)).waiting.length
  })
  follow(['approval'], async () => {
    pendingCount.value = (await getJson<Approvals>('/approvals', { limit: 1 }, ended)).total
  })
}
