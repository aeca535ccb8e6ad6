/** Remembers used tickets until they expire. */
export type SpentTickets = {
  /** True for the first claim of a ticket. */
  claim(ticket: string, until: number): boolean | Promise<boolean>
}

/** Tickets spent in this process. Several replicas need a store of their own behind the same interface. */
export function memoryTickets(now: () => number = Date.now): SpentTickets {
  const spent = new Map<string, number>()
  return {
    claim(ticket, until) {
      if (spent.has(ticket)) return false
      // Tickets are claimed roughly in the order in which they expire, so the expired ones come first.
      for (const [old, end] of spent) {
        if (end > now()) break
        spent.delete(old)
      }
      spent.set(ticket, until)
      return true
    },
  }
}
