/** How long "always" lasts at most; the gateway cuts what is longer. */
export const maxGrantMs = 28_800_000

/** What can be chosen, in milliseconds. */
export const grantDurations = [
  { ms: 900_000, name: '15 minutes' },
  { ms: 3_600_000, name: '1 hour' },
  { ms: 14_400_000, name: '4 hours' },
  { ms: maxGrantMs, name: '8 hours' },
] as const

/** The usual one. */
export const defaultGrantMs = 3_600_000

export const durationName = (ms: number): string =>
  grantDurations.find((span) => span.ms === ms)?.name ?? `${Math.max(1, Math.round(ms / 60_000))} minutes`
