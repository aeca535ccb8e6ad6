import type { CallOutcome } from '../api/types.js'
import type { FinishedCall } from '../calls/finished-call.js'

/** What the stream is narrowed to. */
export type StreamFilter = { readonly text: string; readonly outcome: 'all' | 'ok' | 'error' | 'refused' | 'other' }

export const passesStreamFilter = ({ text, outcome }: StreamFilter, call: FinishedCall): boolean =>
  fits(outcome, call.outcome) &&
  [call.tool, call.server, call.caller].some((name) => name.toLowerCase().includes(text.toLowerCase()))

function fits(wanted: StreamFilter['outcome'], outcome: CallOutcome): boolean {
  if (wanted === 'all' || wanted === outcome) return true
  if (wanted === 'error') return outcome === 'failed'
  return wanted === 'other' && (outcome === 'cancelled' || outcome === 'asked')
}
