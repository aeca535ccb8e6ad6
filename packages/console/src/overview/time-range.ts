/** How far back the charts look, and how long a point of theirs is. */
export const timeRanges = [
  { id: '15m', label: '15 minutes', minutes: 15, stepMs: 10_000 },
  { id: '1h', label: '1 hour', minutes: 60, stepMs: 30_000 },
  { id: '6h', label: '6 hours', minutes: 360, stepMs: 120_000 },
  { id: '24h', label: '24 hours', minutes: 1_440, stepMs: 300_000 },
] as const

export type TimeRange = (typeof timeRanges)[number]

export const timeRangeNamed = (id: string | null): TimeRange => timeRanges.find((range) => range.id === id) ?? timeRanges[1]

/** `10 s`, `2 min`. */
export const stepWords = ({ stepMs }: TimeRange): string => (stepMs < 60_000 ? `${stepMs / 1_000} s` : `${stepMs / 60_000} min`)
