export type UpstreamState =
  /** Not needed yet. */
  | 'idle'
  | 'opening'
  | 'ready'
  /** The last attempt failed, or the connection ended; the next attempt follows automatically. */
  | 'failing'
  /** After repeated failures, calls are refused at once, except for occasional attempts. */
  | 'broken'
  /** The server requires a login; `why` names the command. */
  | 'needs login'
  /** The server is in a discovered config, and nobody has accepted it; `why` names the command. */
  | 'waits for trust'
  | 'closed'

export type UpstreamStatus = {
  readonly state: UpstreamState
  /** The reason that it is not ready, in a sentence. */
  readonly why?: string
  /** The start of this state, in milliseconds since 1970. */
  readonly since: number
  readonly revision?: string
  /** Number of times that it was opened again after having been ready. */
  readonly restarts: number
  /** Milliseconds until the next automatic attempt. */
  readonly retryInMs?: number
}
