import { type CallCount, CounterTrack, type TrackCounts } from './counter-track.js'

const stepMs = 10_000
const minuteMs = 60_000
const hourMs = 3_600_000
const minutesOfDay = 1_440

/** The last hour in steps of ten seconds, and the last day in minutes. */
export class Series {
  readonly #hour = new CounterTrack(stepMs, hourMs / stepMs)
  readonly #day = new CounterTrack(minuteMs, minutesOfDay)
  lastAt = 0

  add(counted: CallCount, now: number): void {
    this.lastAt = now
    this.#hour.add(counted, now)
    this.#day.add(counted, now)
  }

  absorb(past: Series, now: number): void {
    this.lastAt = Math.max(this.lastAt, past.lastAt)
    this.#hour.absorb(past.#hour, now)
    this.#day.absorb(past.#day, now)
  }

  last({ stepMs, steps }: SeriesRange, now: number): TrackCounts {
    return (stepMs === minuteMs ? this.#day : this.#hour).last(steps, now)
  }
}

export type SeriesRange = { readonly stepMs: number; readonly steps: number }

export function seriesRange(minutes: number): SeriesRange {
  const wanted = Math.min(Math.max(1, minutes), minutesOfDay)
  return wanted * minuteMs <= hourMs ? { stepMs, steps: (wanted * minuteMs) / stepMs } : { stepMs: minuteMs, steps: wanted }
}
