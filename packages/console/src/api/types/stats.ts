/** Counts for each step of time, the oldest first. */
export type Series = {
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  readonly refused: readonly number[]
  /** Those of the refused that came up against a limit. */
  readonly limited: readonly number[]
  /** Milliseconds; null where there was no call. */
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

export type StatsBy = 'tool' | 'caller' | 'server'

export type LimitReached = { readonly tool: string; readonly caller: string; readonly count: number; readonly lastAt: number }

export type Stats = {
  readonly stepMs: number
  /** Moment of the first step. */
  readonly from: number
  readonly series: readonly ({ readonly key: string } & Series)[]
  readonly total: Series
  readonly limits: readonly LimitReached[]
}
