import type { Sink } from '../http-exchange.js'

/** Finds out whether the client of a stream has read nothing for `stallMs`. */
export function stallCheck(sink: Sink, stallMs: number) {
  /** The time since which the client has read nothing, and the bytes that waited for it at the last check. */
  let stalledAt = 0
  let waiting = 0
  let written = 0
  return {
    /** Writes a text, and counts it until the next check. */
    write(text: string): void {
      sink.write(text)
      written += text.length
    },
    /** True if anything was written since the last check. */
    get hasWritten(): boolean {
      return written > 0
    },
    isStalled(now: number): boolean {
      const hasMoved = sink.queued === 0 || sink.queued < waiting + written
      waiting = sink.queued
      written = 0
      if (hasMoved) stalledAt = 0
      else if (stalledAt === 0) stalledAt = now
      return stalledAt > 0 && now - stalledAt >= stallMs
    },
  }
}
