/** The same in all threads, and unmoved when somebody sets the clock on the wall. */
export const monotonicNow = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

/** What the thread with the database is given when it starts. */
export type ThreadStart = {
  readonly directory: string
  readonly file: string
  /** How far ahead of the monotonic clock the clock is by which the store goes. */
  readonly skew: number
  /** Milliseconds since 1970. */
  readonly wall: number
}

export type JobRequest = Pick<ThreadStart, 'skew'> & {
  readonly id: number
  readonly job: string
  readonly args: readonly unknown[]
}

export type JobResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failed: SerializedError }
  | { readonly id: number; readonly progress: number }

/** An error as it goes from one thread to the other. */
export type SerializedError = { readonly message: string; readonly code?: string }

/** The first and the last that is said: whether the database is open, and that it is closed. */
export type ThreadNotice =
  | { readonly opened: true; readonly note?: string }
  | { readonly refused: SerializedError }
  | { readonly closed: true }

export function serializeError(thrown: unknown): SerializedError {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const code = 'code' in thrown && typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : undefined
  return code === undefined ? { message: thrown.message } : { message: thrown.message, code }
}
