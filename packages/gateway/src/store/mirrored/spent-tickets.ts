import type { MemoryMirror } from './memory-mirror.js'

/** Tickets are kept for longer than they are valid, because a clock that is set back makes them valid again. */
const keptOnMs = 3_600_000
const tidyEveryMs = 60_000

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

  return {
    /** True for the first claim of a ticket, once it is safely stored. */
    async claim(ticket: string, until: number): Promise<boolean> {
      if (claiming.has(ticket) || kept.get(ticket) !== undefined) return false
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
