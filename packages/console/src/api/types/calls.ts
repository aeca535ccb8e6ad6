import type { JsonObject } from './json.js'

/** How a call ended. */
export type Outcome = 'ok' | 'error' | 'asked' | 'refused' | 'cancelled' | 'failed'

export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** A call that is under way. */
export type Call = {
  readonly id: number
  readonly tool: string
  readonly server: string
  readonly caller: string
  readonly set?: string
  /** Redacted as the log redacts them, and cut where they are long. */
  readonly arguments: JsonObject
  readonly cut?: boolean
  readonly startedAt: number
  readonly progress?: Progress
  /** Id of the approval that it waits for. */
  readonly waiting?: string
}

export type Calls = { readonly calls: readonly Call[] }
