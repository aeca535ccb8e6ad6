import type { ApiClient } from '../api/api-client.js'
import { watchEvents } from '../api/watch-events.js'
import { allPending, approvalId, type PendingApproval } from './pending-approval.js'

/** A call that waits; the signal is aborted when it does so no longer, or nobody is to be shown anything any more. */
type PendingItem = { readonly waiting: PendingApproval; readonly gone: AbortSignal }

/** The calls that wait, one after the other, each once; and then those that come. Ends with the signal. */
export async function* watchPending(api: ApiClient, signal: AbortSignal): AsyncGenerator<PendingItem> {
  const seen = new Set<string>()
  let line = await allPending(api)
  let current: { id: string; gone: AbortController } | undefined
  let failure: unknown
  let wake = () => {}
  const listening = onApprovals(api, signal, async () => {
    line = await allPending(api)
    if (current && !line.some((waiting) => approvalId(waiting) === current?.id)) current.gone.abort()
    wake()
  }).catch((thrown: unknown) => {
    failure = thrown ?? new Error('The gateway closed the event stream')
    wake()
  })
  signal.addEventListener('abort', () => {
    current?.gone.abort()
    wake()
  })
  while (!signal.aborted && failure === undefined) {
    const next = line.find((waiting) => !seen.has(approvalId(waiting)))
    if (!next) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    seen.add(approvalId(next))
    current = { id: approvalId(next), gone: new AbortController() }
    yield { waiting: next, gone: current.gone.signal }
    current = undefined
  }
  if (failure !== undefined && !signal.aborted) throw failure
  await listening
}

async function onApprovals(api: ApiClient, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  for await (const { event } of watchEvents(api, { signal })) if (reasons.has(event)) await look()
}

/** When the stream is open, what has come to wait just before it is looked for. */
const reasons: ReadonlySet<string> = new Set(['open', 'approval', 'missed'])
