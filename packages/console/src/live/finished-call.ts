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

/** What the stream is narrowed to. */
export type Filter = { readonly text: string; readonly outcome: 'all' | 'ok' | 'error' | 'refused' | 'other' }

export const passes = ({ text, outcome }: Filter, call: FinishedCall): boolean =>
  fits(outcome, call.outcome) &&
  [call.tool, call.server, call.caller].some((name) => name.toLowerCase().includes(text.toLowerCase()))

function fits(wanted: Filter['outcome'], outcome: Outcome): boolean {
  if (wanted === 'all' || wanted === outcome) return true
  if (wanted === 'error') return outcome === 'failed'
  return wanted === 'other' && (outcome === 'cancelled' || outcome === 'asked')
}
