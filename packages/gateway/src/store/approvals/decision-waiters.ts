import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { approvals } from 'toolwire/relay'
import { longestTimer } from '../../bounds/longest-timer.js'

type Found = () => Promise<approvals.SettledApproval | { leftMs: number }>

export class DecisionWaiters {
  readonly #settled = new EventEmitter().setMaxListeners(0)

  tell(id: string, settled: approvals.SettledApproval): void {
    this.#settled.emit(id, settled)
  }

  /** Settles with a reported decision, with the decision that `found` reads, or at expiry, whichever comes first. */
  async wait(id: string, signal: AbortSignal, found: Found): Promise<approvals.SettledApproval> {
    signal.throwIfAborted()
    const over = new AbortController()
    const end = () => over.abort(signal.reason)
    signal.addEventListener('abort', end)
    // Only `tell` emits these events.
    const told = once(this.#settled, id, over) as Promise<[approvals.SettledApproval]>
    try {
      return await Promise.race([told.then(([settled]) => settled), readUntilSettled(found, over.signal)])
    } catch (thrown) {
      signal.throwIfAborted()
      throw thrown
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}

/** Reads again when the time is over, because a timer may fire a moment early, while the request could still be decided. */
async function readUntilSettled(found: Found, signal: AbortSignal): Promise<approvals.SettledApproval> {
  for (;;) {
    const now = await found()
    if ('state' in now) return now
    await setTimeout(Math.min(Math.ceil(now.leftMs), longestTimer), undefined, { signal })
  }
}
