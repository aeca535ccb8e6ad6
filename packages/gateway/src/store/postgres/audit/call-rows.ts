import type { AuditCall } from '../../audit/audit-query.js'

/** A call, with null where it has nothing. */
export type CallRow = { readonly [member in keyof AuditCall]: AuditCall[member] | null }

export const callColumns = `c.position::float8 AS sequence, c.stream, c.call, c.at::float8 AS at, c.caller, c.server, c.tool, c.continued,
  e.position::float8 AS ended, e.duration AS "durationMs", e.decision, e.outcome, e.reason, e.ground`

/** A call with its end, which is written on the same day or later. */
export const callsAndEnds = 'toolwire.calls c LEFT JOIN toolwire.call_ends e ON e.begun = c.position AND e.day >= c.day'

/** The columns are named as the members, and only what the log says of itself is in them. */
export const callIn = (row: CallRow): AuditCall =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as AuditCall
