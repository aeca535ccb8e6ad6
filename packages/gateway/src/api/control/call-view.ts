import type { JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'

/** A call that is under way. */
export type CallView = {
  readonly id: number
  readonly tool: string
  readonly server: string
  /** Id of the caller. */
  readonly caller: string
  /** Nobody has verified it: it has shown nothing, and seems to be on this machine. */
  readonly unverified?: true
  /** The set through which it came. */
  readonly set?: string
  /** Without what the rules call a secret, and no more than 4 KiB of them. */
  readonly arguments: JsonObject
  /** There is more of them. */
  readonly cut?: true
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly progress?: Progress
  /** Id of the approval that it waits for. */
  readonly waiting?: string
}
