import type { Outcome } from '../api/types.js'
import type { FinishedCall } from '../calls/finished-call.js'

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
