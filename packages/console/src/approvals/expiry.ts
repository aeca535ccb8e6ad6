/** How long "always" lasts at most; the gateway cuts what is longer. */
export const longestMs = 28_800_000

/** What can be chosen, in milliseconds. */
export const spans = [
  { ms: 900_000, name: '15 minutes' },
  { ms: 3_600_000, name: '1 hour' },
  { ms: 14_400_000, name: '4 hours' },
  { ms: longestMs, name: '8 hours' },
] as const

/** The usual one. */
export const usualMs = 3_600_000

export const spanName = (ms: number): string =>
  spans.find((span) => span.ms === ms)?.name ?? `${Math.max(1, Math.round(ms / 60_000))} minutes`
