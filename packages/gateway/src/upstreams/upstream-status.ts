/** How an upstream is doing. */
export type UpstreamState =
  /** Not needed yet. */
  | 'idle'
  | 'opening'
  | 'ready'
  /** It could not be reached the last time, or its connection has ended; it is tried again by itself. */
  | 'failing'
  /** It has failed so often in a row that calls are refused at once; now and then one tries. */
  | 'broken'
  /** It wants to know who is calling, and somebody has to log in first; `why` names the command. */
  | 'needs login'
  /** It stands in a config that was found, and nobody has accepted it: `why` says how to. */
  | 'waits for trust'
  | 'closed'

export type UpstreamStatus = {
  readonly state: UpstreamState
  /** Why it is not ready, in a sentence. */
  readonly why?: string
  /** Moment (milliseconds since 1970) since which it is in this state. */
  readonly since: number
  /** The revision that is spoken with it. */
  readonly revision?: string
  /** How often it was opened again after it had been ready. */
  readonly restarts: number
  /** Milliseconds until it is tried again by itself. */
  readonly retryInMs?: number
}
