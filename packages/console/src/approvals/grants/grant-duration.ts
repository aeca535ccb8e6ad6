/** How long "always" lasts at most; the gateway cuts what is longer. */
export const maxGrantMs = 28_800_000

/** What can be chosen, in milliseconds. */
export const grantDurations = [
  [900_000, '15 minutes'],
  [3_600_000, '1 hour'],
  [14_400_000, '4 hours'],
  [maxGrantMs, '8 hours'],
] as const satisfies readonly (readonly [ms: number, name: string])[]

/** The usual one. */
export const defaultGrantMs = 3_600_000

export const durationName = (ms: number): string =>
  grantDurations.find(([span]) => span === ms)?.[1] ?? `${Math.max(1, Math.round(ms / 60_000))} minutes`
