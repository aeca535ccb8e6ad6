import { bounds } from 'toolwire/relay'

export type LimitReached = { readonly tool: string; readonly caller: string; readonly count: number; readonly lastAt: number }

const mostKept = 200
const keptMs = 86_400_000

/** Limits reached by callers within the last day, with counts. */
export class LimitsReached {
  readonly #reached = new bounds.BoundedMap<string, LimitReached>(mostKept)

  add(tool: string, caller: string, now: number): void {
    const key = JSON.stringify([tool, caller])
    const { count = 0 } = this.#reached.get(key) ?? {}
    this.#reached.set(key, { tool, caller, count: count + 1, lastAt: now })
  }

  absorb(past: LimitsReached): void {
    const latest = [...this.#reached]
    this.#reached.clear()
    for (const [key, reached] of past.#reached) this.#reached.set(key, reached)
    for (const [key, reached] of latest) {
      const before = past.#reached.get(key)?.count ?? 0
      this.#reached.set(key, { ...reached, count: reached.count + before })
    }
  }

  /** The latest first. */
  list(now: number): readonly LimitReached[] {
    for (const [key, { lastAt }] of this.#reached) if (now - lastAt > keptMs) this.#reached.delete(key)
    return [...this.#reached.values()].reverse()
  }
}
