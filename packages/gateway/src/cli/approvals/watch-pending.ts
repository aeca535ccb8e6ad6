import type { ApiClient } from '../api/api-client.js'
import { watchEvents } from '../api/watch-events.js'
import { allPending, approvalId, findPending } from './pending-approval.js'

/**
 * Yields each pending call once, one at a time, and then each new one, until the signal is aborted. Each comes with a signal that is
 * aborted when the call is no longer pending, or when watching ends.
 */
export async function* watchPending(api: ApiClient, signal: AbortSignal) {
  const seen = new Set<string>()
  let line = await allPending(api)
  let current: { id: string; gone: AbortController } | undefined
  let failure: unknown
  let wake = () => {}
  const listen = async () => {
    for await (const { event } of watchEvents(api, { signal })) {
      if (!reasons.has(event)) continue
      line = await allPending(api)
      const shown = current
      const isListed = line.some((waiting) => approvalId(waiting) === shown?.id)
      if (shown && !isListed && !(await findPending(api, shown.id))) shown.gone.abort()
      wake()
    }
  }
  const listening = listen().catch((thrown: unknown) => {
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

/** Events after which the list is read again: `open` covers calls that arrived just before the stream. */
const reasons: ReadonlySet<string> = new Set(['open', 'approval', 'missed'])
