// Calls that ended in each second of the last minute.
import type { CallOutcome } from '../api/types.js'

export type Second = { readonly ok: number; readonly other: number }

const seconds = 60

export class LastMinute {
  #counts: { at: number; ok: number; other: number }[] = []

  add(at: number, outcome: string, count = 1): void {
    const second = Math.floor(at / 1_000)
    const last = this.#counts.at(-1)
    // Events arrive in order, unless the clock was set back.
    if (!last || second > last.at) this.#counts.push({ at: second, ok: 0, other: 0 })
    const entry = this.#counts.at(-1)
    if (entry) entry[isFine(outcome) ? 'ok' : 'other'] += count
    if (this.#counts.length > 2 * seconds) this.#counts = this.#counts.slice(-seconds)
  }

  /** One entry per second, oldest first. */
  bars(now: number): readonly Second[] {
    const from = Math.floor(now / 1_000) - seconds + 1
    const bars = Array.from({ length: seconds }, () => ({ ok: 0, other: 0 }))
    for (const { at, ok, other } of this.#counts) {
      const bar = bars[Math.min(seconds - 1, at - from)]
      if (!bar) continue
      bar.ok += ok
      bar.other += other
    }
    return bars
  }
}

const isFine = (outcome: string): boolean => fine.has(outcome)
const fine: ReadonlySet<string> = new Set<CallOutcome>(['ok', 'asked'])
