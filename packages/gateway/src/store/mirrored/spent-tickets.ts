import { hash } from 'node:crypto'
import type { MemoryMirror } from './memory-mirror.js'

/** Tickets are kept for longer than they are valid, because a clock that is set back makes them valid again. */
const keptOnMs = 3_600_000
const tidyEveryMs = 60_000

/** Begins the key of a ticket that was copied from a shared store, which has only digests of tickets. */
export const digestPrefix = 'sha256:'

/** Remembers used states of questions across restarts, so that no answer runs a call a second time. */
export function storedTickets(kept: MemoryMirror<number>, now: () => number) {
  const claiming = new Set<string>()
  let tidyAt = now()

  function tidy(): void {
    if (now() < tidyAt) return
    tidyAt = now() + tidyEveryMs
    const before = Date.now() - keptOnMs
    for (const [ticket, until] of kept.entries()) if (until < before) kept.drop(ticket).catch(() => undefined) // again next time
  }

  const isSpent = (ticket: string): boolean =>
    claiming.has(ticket) || [ticket, digestPrefix + hash('sha256', ticket)].some((key) => kept.get(key) !== undefined)

  return {
    /** True for the first claim of a ticket, once it is safely stored. */
    async claim(ticket: string, until: number): Promise<boolean> {
      if (isSpent(ticket)) return false
      claiming.add(ticket)
      try {
        await kept.put(ticket, until)
      } finally {
        claiming.delete(ticket)
      }
      tidy()
      return true
    },
  }
}
