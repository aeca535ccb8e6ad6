import type { CallCount, TrackCounts } from './counter-track.js'
import type { SeriesRange } from './series.js'
import { Series } from './series.js'

const mostKeys = 50
/** A key without calls for this long makes room for a new one. */
const idleMs = 3_600_000
const lookEveryMs = 10_000
/** The key of all further names; no tool, caller or server has this name. */
const othersKey = 'others'

/** A series for each key, up to a maximum; further keys share one series. */
export class SeriesByKey {
  readonly #series = new Map<string, Series>()
  readonly #others = new Series()
  #lookedAt = 0

  add(key: string, counted: CallCount, now: number): void {
    const series = this.#series.get(key) ?? this.#placeFor(key, now) ?? this.#others
    series.add(counted, now)
  }

  absorb(past: SeriesByKey, now: number): void {
    for (const [key, series] of past.#series)
      (this.#series.get(key) ?? this.#placeFor(key, now) ?? this.#others).absorb(series, now)
    this.#others.absorb(past.#others, now)
  }

  last(span: SeriesRange, now: number): ({ readonly key: string } & TrackCounts)[] {
    const all: [string, Series][] = [...this.#series, [othersKey, this.#others]]
    return all
      .map(([key, series]) => ({ key, ...series.last(span, now) }))
      .map((one) => ({ one, total: one.calls.reduce((sum, count) => sum + count, 0) }))
      .filter(({ total }) => total > 0)
      .sort((a, b) => rank(a.one.key) - rank(b.one.key) || b.total - a.total)
      .map(({ one }) => one)
  }

  #placeFor(key: string, now: number): Series | undefined {
    if (this.#series.size >= mostKeys && !this.#makeRoom(now)) return undefined
    const series = new Series()
    this.#series.set(key, series)
    return series
  }

  /** Looks for an idle key only now and then, because a stranger may make up names all the time. */
  #makeRoom(now: number): boolean {
    if (now - this.#lookedAt < lookEveryMs) return false
    this.#lookedAt = now
    for (const [key, { lastAt }] of this.#series) if (now - lastAt > idleMs) return this.#series.delete(key)
    return false
  }
}

const rank = (key: string): number => (key === othersKey ? 1 : 0)
