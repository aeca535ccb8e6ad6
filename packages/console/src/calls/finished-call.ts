import type { AuditCall, EventData } from '../api/types.js'

type Ended = Extract<EventData['call'], { what: 'ended' }>

export type FinishedCall = Omit<Ended, 'call' | 'what' | 'set'> & { readonly key: number }

export const finishedCall = (key: number, { call: _, what: _what, set: _set, ...ended }: Ended): FinishedCall => ({
  key,
  ...ended,
})

/** A finished call from the audit log; undefined if it has not ended, or if it is an action of the gateway itself. */
export function recordedCall(key: number, { call, at, tool, server = '', caller, outcome, reason, durationMs = 0 }: AuditCall) {
  if (outcome === undefined || tool.startsWith('toolwire/')) return undefined
  const made: FinishedCall = {
    ...{ key, at: at + durationMs, tool, server, caller, outcome, ms: Math.round(durationMs), record: call },
    ...(reason !== undefined && { reason }),
  }
  return made
}
