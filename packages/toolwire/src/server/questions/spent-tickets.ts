/** Remembers for a while which tickets have been used. */
export type SpentTickets = {
  /** True for the first who claims it. */
  claim(ticket: string, until: number): boolean | Promise<boolean>
}

/** Tickets spent in this process. Several replicas need a store of their own behind the same interface. */
export function memoryTickets(now: () => number = Date.now): SpentTickets {
  const spent = new Map<string, number>()
  return {
    claim(ticket, until) {
      if (spent.has(ticket)) return false
      // Tickets are claimed roughly in the order they expire: the expired ones stand at the front.
      for (const [old, end] of spent) {
        if (end > now()) break
        spent.delete(old)
      }
      spent.set(ticket, until)
      return true
    },
  }
}
