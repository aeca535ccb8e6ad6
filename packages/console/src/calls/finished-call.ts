import type { EventData, Outcome } from '../api/types.js'

/** A call that is over. */
export type FinishedCall = {
  readonly key: number
  readonly at: number
  readonly tool: string
  readonly server: string
  readonly caller: string
  readonly outcome: Outcome
  readonly reason?: string
  readonly ms: number
  /** Id of the call in the audit log. */
  readonly record?: string
}

type Ended = Extract<EventData['call'], { what: 'ended' }>

export function finishedCall(key: number, { at, tool, server, caller, outcome, reason, ms, record }: Ended): FinishedCall {
  return {
    ...{ key, at, tool, server, caller, outcome, ms },
    ...(reason !== undefined && { reason }),
    ...(record !== undefined && { record }),
  }
}
