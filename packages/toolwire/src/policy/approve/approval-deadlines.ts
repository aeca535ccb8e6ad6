import type { RequestIdentity } from './binding.js'

const mostKept = 10_000

/** Until when requests hold that go over several rounds of a call. Setting the clock back gives nobody more time. */
export class ApprovalDeadlines {
  readonly #kept = new Map<string, number>()
  readonly #waitMs: number

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** A moment as `performance.now()` tells it. Of a request made in another process only the clock on the wall is known. */
  of({ id, expiresAt }: RequestIdentity): number {
    return this.#kept.get(id) ?? performance.now() + Math.min(this.#waitMs, expiresAt - Date.now())
  }

  /** The call comes back in another round, or never does. */
  keep({ id }: RequestIdentity, deadline: number): void {
    const now = performance.now()
    // Each of them waits as long as the others: those that are over stand at the front.
    for (const [old, end] of this.#kept) {
      if (end > now && this.#kept.size < mostKept) break
      this.#kept.delete(old)
    }
    this.#kept.set(id, deadline)
  }
}
