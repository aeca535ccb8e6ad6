import type { Moment } from './moment.js'

/** What the thread with the database is given when it starts. */
export type Start = {
  readonly directory: string
  readonly file: string
  readonly now: Moment
  /** Milliseconds since 1970. */
  readonly wall: number
}

export type Asked = { readonly id: number; readonly job: string; readonly args: readonly unknown[] }

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failed: Failed }
  | { readonly id: number; readonly progress: number }

/** An error as it goes from one thread to the other. */
export type Failed = { readonly message: string; readonly code?: string }

/** The first and the last that is said: whether the database is open, and that it is closed. */
export type Notice = { readonly opened: true; readonly note?: string } | { readonly refused: Failed } | { readonly closed: true }

export function failedWith(thrown: unknown): Failed {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const code = 'code' in thrown && typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : undefined
  return code === undefined ? { message: thrown.message } : { message: thrown.message, code }
}
