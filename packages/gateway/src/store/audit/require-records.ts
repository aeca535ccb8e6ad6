// A log without any record is not intact: nothing was verified, or its last record is missing.
import type { AuditHead, AuditVerdict } from 'toolwire/guard'

export type LogVerdict = AuditVerdict & {
  /** The log has no record, so nothing is known about it. */
  readonly empty?: true
}

/** Returns the verdict on a log that begins after `from`, unless nothing was verified. */
export function requireRecords(verdict: AuditVerdict, from?: AuditHead): LogVerdict {
  if (!verdict.ok || verdict.entries > 0) return verdict
  const sequence = (from?.sequence ?? 0) + 1
  const fault = { ok: false, line: 1, sequence, head: from } as const
  return from ? { ...fault, why: `Record ${sequence} ${neverDropped}` } : { ...fault, empty: true, why: emptyLog }
}

const neverDropped = 'is missing: the log ends with its retention mark, but retention never drops the last record'
const emptyLog =
  'The log is empty, which proves nothing: it had no records yet, or all of them were removed. ' +
  'Check it with --witness, or with a --head that was kept elsewhere. If it is a file, export the log again'
