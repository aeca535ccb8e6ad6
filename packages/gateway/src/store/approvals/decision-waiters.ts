import type { approvals } from 'toolwire/relay'

const longestTimer = 2_147_483_647

/** Those who wait to hear what becomes of a request. */
export class DecisionWaiters {
  readonly #waiting = new Map<string, Set<(settled: approvals.SettledApproval) => void>>()

  tell(id: string, settled: approvals.SettledApproval): void {
    for (const tell of [...(this.#waiting.get(id) ?? [])]) tell(settled)
  }

  /** Settles with what is told, with what is found out meanwhile, or when the time is over, whichever is first. */
  wait(
    id: string,
    signal: AbortSignal,
    found: () => Promise<approvals.SettledApproval | { leftMs: number }>,
  ): Promise<approvals.SettledApproval> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      let over = false
      const leave = () => {
        over = true
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
        this.#forget(id, tell)
      }
      const tell = (settled: approvals.SettledApproval) => {
        leave()
        resolve(settled)
      }
      const fail = (why: unknown) => {
        leave()
        reject(why)
      }
      const gone = () => fail(signal.reason)
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', gone)
      this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(tell))
      found().then((now) => {
        if (over) return
        if ('state' in now) return tell(now)
        timer = setTimeout(() => tell({ state: 'expired' }), Math.min(now.leftMs, longestTimer))
      }, fail)
    })
  }

  #forget(id: string, tell: (settled: approvals.SettledApproval) => void): void {
    const waiting = this.#waiting.get(id)
    waiting?.delete(tell)
    if (waiting?.size === 0) this.#waiting.delete(id)
  }
}
