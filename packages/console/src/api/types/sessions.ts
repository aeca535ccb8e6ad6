/** A browser that was let in. */
export type ConsoleSession = {
  readonly id: string
  /** What it says of itself. */
  readonly browser: string
  readonly startedAt: number
  readonly usedAt: number
  readonly endsAt: number
  /** When it ends if nobody does anything there. */
  readonly idleEndsAt: number
  /** The one that asks. */
  readonly own: boolean
}

export type ConsoleSessions = { readonly sessions: readonly ConsoleSession[] }
