import type { SettledApproval } from './store.js'

type Tell = (settled: SettledApproval) => void

/** Those who wait to hear what becomes of requests, and those who want to hear of every change. */
export class DecisionWaiters {
  readonly #waiting = new Map<string, Set<Tell>>()
  readonly #listeners = new Set<() => void>()

  /** Hears of one request, or that its time is over. */
  wait(id: string, { signal, ms }: { readonly signal: AbortSignal; readonly ms: number }): Promise<SettledApproval> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting)
      const tell: Tell = (settled) => {
        leave()
        resolve(settled)
      }
      const gone = () => {
        leave()
        reject(signal.reason)
      }
      const timer = setTimeout(() => tell({ state: 'expired' }), ms)
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
        waiting.delete(tell)
        if (waiting.size === 0) this.#waiting.delete(id)
      }
      waiting.add(tell)
      signal.addEventListener('abort', gone)
      if (signal.aborted) gone()
    })
  }

  tell(id: string, settled: SettledApproval): void {
    for (const tell of [...(this.#waiting.get(id) ?? [])]) tell(settled)
    this.changed()
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
