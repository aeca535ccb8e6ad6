import type { ApiClient } from '../api/api-client.js'
import { watchEvents } from '../api/watch-events.js'
import { allPending, approvalId } from './pending-approval.js'

/**
 * The calls that wait, one after the other, each once; and then those that come. Ends with the signal. Each has a signal that is
 * aborted when it waits no longer, or nobody is to be shown anything any more.
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
      if (current && !line.some((waiting) => approvalId(waiting) === current?.id)) current.gone.abort()
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

/** When the stream is open, what has come to wait just before it is looked for. */
const reasons: ReadonlySet<string> = new Set(['open', 'approval', 'missed'])
