import type { AuditCall, EventData } from '../api/types.js'

type Ended = Extract<EventData['call'], { what: 'ended' }>

/** A call that is over. */
export type FinishedCall = Omit<Ended, 'call' | 'what' | 'set'> & { readonly key: number }

export const finishedCall = (key: number, { call: _, what: _what, set: _set, ...ended }: Ended): FinishedCall => ({
  key,
  ...ended,
})

/** The same as the audit log has it; undefined where it is no call, or not over. */
export function recordedCall(key: number, { call, at, tool, server = '', caller, outcome, reason, durationMs = 0 }: AuditCall) {
  if (outcome === undefined || tool.startsWith('toolwire/')) return undefined
  const made: FinishedCall = {
    ...{ key, at: at + durationMs, tool, server, caller, outcome, ms: Math.round(durationMs), record: call },
    ...(reason !== undefined && { reason }),
  }
  return made
}
