// Call statistics for charts: kept in memory, in a size that does not grow with the number of calls.

import type { CallCount } from './counter-track.js'
import { LimitsReached } from './limits-reached.js'
import { Series, seriesRange } from './series.js'
import { SeriesByKey } from './series-by-key.js'

export type StatsDimension = 'tool' | 'caller' | 'server'
export const statsDimensions: readonly StatsDimension[] = ['tool', 'caller', 'server']

export type CountedCall = CallCount & { readonly [name in StatsDimension]: string } & { readonly reason?: string | undefined }

export type StatsView = ReturnType<CallStats['view']>

export class CallStats {
  readonly #now: () => number
  readonly #total = new Series()
  readonly #by: { readonly [name in StatsDimension]: SeriesByKey } = {
    tool: new SeriesByKey(),
    caller: new SeriesByKey(),
    server: new SeriesByKey(),
  }
  readonly #limits = new LimitsReached()

  #since: number

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#since = now()
  }

  ended(call: CountedCall): void {
    // The call comes back with an answer and is counted then.
    if (call.outcome === 'asked') return
    const now = this.#now()
    const { tool, caller, server, isLimited } = call
    this.#total.add(call, now)
    this.#by.tool.add(tool, call, now)
    this.#by.caller.add(caller, call, now)
    this.#by.server.add(server, call, now)
    if (isLimited) this.#limits.add(tool, caller, now)
  }

  /** Adds the calls from before this object began to count; they are complete from `since` on. */
  absorb(past: CallStats, since: number): void {
    const now = this.#now()
    this.#since = Math.min(this.#since, since)
    this.#total.absorb(past.#total, now)
    for (const by of statsDimensions) this.#by[by].absorb(past.#by[by], now)
    this.#limits.absorb(past.#limits)
  }

  view(minutes: number, by: StatsDimension) {
    const now = this.#now()
    const span = seriesRange(minutes)
    return {
      stepMs: span.stepMs,
      /** Beginning of the first step, in milliseconds since 1970. */
      from: (Math.floor(now / span.stepMs) - span.steps + 1) * span.stepMs,
      /** Time from which calls are counted; earlier calls are missing. */
      since: this.#since,
      series: this.#by[by].last(span, now),
      total: this.#total.last(span, now),
      limits: this.#limits.list(now),
    }
  }
}
