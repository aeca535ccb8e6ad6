// Calls over time, for charts: kept in memory, and no more of it however many calls there are.
import { ByKey } from './by-key.js'
import { type LimitReached, LimitsReached } from './limits-reached.js'
import { Series, spanOf } from './series.js'
import { type Counts, isLimit } from './track.js'

export type By = 'tool' | 'caller' | 'server'
export const bys: readonly By[] = ['tool', 'caller', 'server']

/** A call that is over. */
export type EndedCall = { readonly [name in By]: string } & {
  readonly outcome: string
  readonly reason?: string | undefined
  readonly ms: number
}

export type StatsView = {
  readonly stepMs: number
  /** When the first step began, in milliseconds since 1970. */
  readonly from: number
  readonly series: readonly ({ readonly key: string } & Counts)[]
  readonly total: Counts
  readonly limits: readonly LimitReached[]
}

export class Stats {
  readonly #now: () => number
  readonly #total = new Series()
  readonly #by: { readonly [name in By]: ByKey } = { tool: new ByKey(), caller: new ByKey(), server: new ByKey() }
  readonly #limits = new LimitsReached()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  ended(call: EndedCall): void {
    // It comes back with an answer, and is counted then.
    if (call.outcome === 'asked') return
    const now = this.#now()
    const { tool, caller, server, reason } = call
    this.#total.add(call, now)
    this.#by.tool.add(tool, call, now)
    this.#by.caller.add(caller, call, now)
    this.#by.server.add(server, call, now)
    if (isLimit(reason)) this.#limits.add(tool, caller, now)
  }

  view(minutes: number, by: By): StatsView {
    const now = this.#now()
    const span = spanOf(minutes)
    return {
      stepMs: span.stepMs,
      from: (Math.floor(now / span.stepMs) - span.steps + 1) * span.stepMs,
      series: this.#by[by].last(span, now),
      total: this.#total.last(span, now),
      limits: this.#limits.list(now),
    }
  }
}
