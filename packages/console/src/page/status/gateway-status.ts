// The gateway's status and the numbers of pending items, shown by the navigation and the tab in every view.
import { signal } from '@preact/signals'
import { getJson } from '../../api/api.js'
import { onGatewayEvents } from '../../api/event-feed.js'
import { oneAtATime } from '../../api/one-at-a-time.js'
import type { Approvals, EventKind, Pins, Status } from '../../api/types.js'
import { type LoadOutcome, loadedNow, notLoaded } from '../../api/use-loaded.js'

export const gatewayStatus = signal<Status | undefined>(undefined)
export const statusOutcome = signal<LoadOutcome>(notLoaded)
export const pendingCount = signal(0)
/** Number of pending definitions. */
export const withheldCount = signal(0)

/** Loads the status of the gateway. Throws if it could not be loaded; the older status stays. */
export async function loadGatewayStatus(ended?: AbortSignal): Promise<void> {
  try {
    gatewayStatus.value = await getJson<Status>('/status', {}, ended)
    statusOutcome.value = loadedNow()
  } catch (trouble) {
    if (!ended?.aborted) statusOutcome.value = { ...statusOutcome.value, trouble }
    throw trouble
  }
}

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
    await loadGatewayStatus(ended)
  })
  follow(['pin'], async () => {
    withheldCount.value = (await getJson<Pins>('/pins', {}, ended)).waiting.length
  })
  follow(['approval'], async () => {
    pendingCount.value = (await getJson<Approvals>('/approvals', { limit: 1 }, ended)).total
  })
}
