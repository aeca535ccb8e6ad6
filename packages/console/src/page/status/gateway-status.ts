// How the gateway stands and what waits for somebody: what the navigation and the tab show, whichever view is open.
import { signal } from '@preact/signals'
import { getJson } from '../../api/api.js'
import { onGatewayEvent } from '../../api/event-feed.js'
import { oneAtATime } from '../../api/one-at-a-time.js'
import type { Approvals, EventKind, Pins, Status } from '../../api/types.js'

export const gatewayStatus = signal<Status | undefined>(undefined)
/** How many calls wait for a yes or no. */
export const pendingCount = signal(0)
/** Definitions that wait to be accepted. */
export const heldBackCount = signal(0)

const reasons = ['upstream', 'pin', 'policy', 'config', 'audit', 'missed'] as const satisfies readonly EventKind[]
const restMs = 400
const againMs = 2_000

/** Follows all of it until the signal aborts. */
export function followGatewayStatus(ended: AbortSignal): void {
  const status = soon(async () => {
    gatewayStatus.value = await getJson<Status>('/status', {}, ended)
  }, ended)
  const pins = soon(async () => {
    heldBackCount.value = (await getJson<Pins>('/pins', {}, ended)).waiting.length
  }, ended)
  const approvals = soon(async () => {
    pendingCount.value = (await getJson<Approvals>('/approvals', { limit: 1 }, ended)).total
  }, ended)
  const stops = [
    ...reasons.map((kind) => onGatewayEvent(kind, status)),
    ...[onGatewayEvent('pin', pins), onGatewayEvent('missed', pins)],
    ...[onGatewayEvent('approval', approvals), onGatewayEvent('missed', approvals)],
  ]
  ended.addEventListener('abort', () => {
    for (const stop of stops) stop()
  })
  for (const load of [status, pins, approvals]) load()
}

/** Once in a while, however often it is asked for; what fails is tried again. */
function soon(load: () => Promise<void>, ended: AbortSignal): () => void {
  const ask = oneAtATime(() => load().catch(() => void (ended.aborted || setTimeout(ask, againMs))), restMs)
  return ask
}
