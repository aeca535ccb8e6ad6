/** Remembers used tickets until they expire. */
export type SpentTickets = {
  /** True for the first claim of a ticket. */
  claim(ticket: string, until: number): boolean | Promise<boolean>
}

/** Tickets are kept at least this long, because a clock that was ahead may be set back, and then they are valid again. */
const leastMs = 600_000

/** Tickets spent in this process. Several replicas need a store of their own behind the same interface. */
export function memoryTickets(now: () => number = Date.now, elapsed: () => number = () => performance.now()): SpentTickets {
  const spent = new Map<string, { readonly until: number; readonly at: number }>()
  return {
    claim(ticket, until) {
      if (spent.has(ticket)) return false
      // In the order of their claims.
      for (const [old, kept] of spent) {
        if (elapsed() - kept.at < leastMs) break
        if (kept.until < now()) spent.delete(old)
      }
      spent.set(ticket, { until, at: elapsed() })
      return true
    },
  }
}
