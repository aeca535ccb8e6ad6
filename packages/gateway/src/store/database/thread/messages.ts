import type { ClockMoment } from './clock-moment.js'

/** What the thread with the database is given when it starts. */
export type ThreadStart = {
  readonly directory: string
  readonly file: string
  readonly now: ClockMoment
  /** Milliseconds since 1970. */
  readonly wall: number
}

export type JobRequest = { readonly id: number; readonly job: string; readonly args: readonly unknown[] }

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
