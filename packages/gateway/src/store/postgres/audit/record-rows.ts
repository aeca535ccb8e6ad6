import type { AuditEntry, AuditRecord } from 'toolwire/guard'

/** Positions of the intents of running calls; calls that are missing here are looked up. */
export type OpenCalls = {
  readonly delete: (call: string) => unknown
  readonly get: (call: string) => number | undefined
}

/** An entry with its searchable columns, as the inserting statement takes it. */
export type RecordRow = {
  readonly sequence: number
  readonly hash: string
  readonly text: string
  readonly call: string
  readonly at?: number
  readonly caller?: string
  readonly server?: string
  readonly tool?: string
  readonly continued?: true
  /** Position of the intent, or its sequence if it is in the same group. */
  readonly begun?: number | undefined
  readonly here?: number | undefined
  readonly duration?: number
  readonly decision?: string
  readonly outcome?: string
  readonly reason?: string
  readonly ground?: string
}

export const recordColumns =
  'sequence bigint, hash text, text text, call text, at bigint, caller text, server text, tool text, continued boolean, ' +
  'begun bigint, here bigint, duration float8, decision text, outcome text, reason text, ground text'

export function recordRows(entries: readonly AuditEntry[], open: OpenCalls): RecordRow[] {
  const here = new Map<string, number>()
  return entries.map(({ sequence, hash, text }) => {
    const record = JSON.parse(text) as AuditRecord // the log has written it
    const kept = { sequence, hash, text, call: searchText(record.id) }
    if (record.kind === 'intent') {
      here.set(record.id, sequence)
      return { ...kept, ...intentIn(record) }
    }
    return { ...kept, ...outcomeIn(record), begun: open.get(record.id), here: here.get(record.id) }
  })
}

function intentIn({ at, caller, server, tool, continued }: AuditRecord) {
  const named = server === undefined ? {} : { server: searchText(server) }
  return { at: timeOf(at), caller: searchText(caller), ...named, tool: searchText(tool), ...(continued && { continued }) }
}

function outcomeIn({ durationMs, decision, outcome, reason, ground }: Extract<AuditRecord, { kind: 'outcome' }>) {
  return { duration: durationMs, decision, outcome, ...(reason && { reason }), ...(ground && { ground }) }
}

/** A time that is no number is written as null in JSON. */
const timeOf = (at: number | null): number =>
  Math.min(Math.max(Math.trunc(at ?? 0), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)

/** Converts a text for searches, because PostgreSQL stores neither NUL nor half a surrogate pair. */
export const searchText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
