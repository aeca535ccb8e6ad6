import type { AuditEntry, AuditHead, AuditLog, AuditRecord, AuditVerdict } from 'toolwire/guard'
import type { AuditCall, AuditPage, AuditQuery } from './audit-search.js'
import { logChecks } from './check-log.js'
import type { Desk } from './desk.js'
import { type ExportFormat, exportAudit } from './export-audit.js'
import { Follow } from './follow.js'
import type { Health } from './health.js'
import { oneByOne } from './one-by-one.js'
import { type Past, pastCalls } from './past-calls.js'
import { type Retention, retain } from './retention.js'
import type { SignedHead, Signer } from './signed-head.js'
import { checkWitnessed, type WitnessedVerdict } from './witnessed.js'
import { writtenLog } from './written-log.js'

/** A record as it is kept, and the call that it belongs to. */
export type StoredRecord = { readonly entry: AuditEntry; readonly record: AuditRecord; readonly call: AuditCall | undefined }

export type VerifyStored = {
  /** Kept elsewhere: shows that the end is still there. */
  readonly head?: AuditHead | SignedHead
  /** How many records have been looked at. */
  readonly onProgress?: (entries: number) => void
}

/** Whether the log still has a head that was kept elsewhere. */
export type HeadVerdict = { readonly ok: true } | { readonly ok: false; readonly why: string }

/** The log, in the database. */
export type StoredAudit = AuditLog & {
  /** The record that was appended last, safe or not. */
  readonly last: AuditRecord | undefined
  search(query: AuditQuery): Promise<AuditPage>
  record(sequence: number): Promise<StoredRecord | undefined>
  /** The call with this id, as both of its records have it. */
  callOf(id: string): Promise<AuditCall | undefined>
  /** Calls that have been made before now, in the order of the log, page by page. */
  past(which: Past): AsyncIterable<readonly AuditCall[]>
  /** Everything after this record, and then whatever is added, as soon as it is safe. Ends with the signal. */
  follow(after: number, signal: AbortSignal): AsyncIterable<readonly AuditEntry[]>
  verify(options?: VerifyStored): Promise<AuditVerdict>
  /** Lines for `verifyAudit`, or a table of calls. */
  export(format: ExportFormat): AsyncIterable<string>
  signHead(): SignedHead | undefined
  checkHead(signed: SignedHead): Promise<HeadVerdict>
  /** Whether the log still has all of these, which a witness has kept. */
  checkWitnessed(heads: readonly SignedHead[]): Promise<WitnessedVerdict>
  /** The last record that was dropped: the log begins after it. */
  from(): Promise<SignedHead | undefined>
  /** Drops what is older, or more, than is to be kept; gives how many records. */
  retain(keep: Retention): Promise<number>
  /** For whoever checks signed heads elsewhere. */
  readonly publicKey: string
  /** Settles when nothing waits to be written, whatever has become of it. */
  quiet(): Promise<void>
}

type Parts = { readonly desk: Desk; readonly health: Health; readonly signer: Signer; readonly begin: AuditHead | undefined }

export function storedAudit({ desk, health, signer, begin }: Parts): StoredAudit {
  const follow = new Follow(desk)
  const { log, head, quiet } = writtenLog(begin, async (entries) => {
    await health.of(desk.ask('append', entries))
    follow.added()
  })
  const checks = logChecks({ desk, signer, head })
  // Nothing is dropped from the log while it is read to its end.
  const inTurn = oneByOne()
  let last: AuditRecord | undefined
  return {
    append(record) {
      last = record
      return log.append(record)
    },
    get last() {
      return last
    },
    callOf: (id) => desk.ask('callOf', id),
    get head() {
      return head()
    },
    search: (query) => desk.ask('search', query),
    async record(sequence) {
      const entry = await desk.ask('entry', sequence)
      if (!entry) return undefined
      const record = recordIn(entry)
      return { entry, record, call: await desk.ask('callOf', record.id) }
    },
    past: (which) => pastCalls(desk, which, head()?.sequence ?? 0),
    follow: (after, signal) => follow.from(after, signal),
    verify: (options) => inTurn(() => checks.verify(options)),
    export: (format) => exportAudit(desk, format),
    signHead() {
      const last = head()
      return last && signer.sign(last, 'head')
    },
    checkHead: checks.checkHead,
    checkWitnessed: async (heads) =>
      checkWitnessed(heads, {
        publicKey: signer.publicKey,
        // Whoever verifies the log hears what is wrong with the mark.
        from: await checks.from().catch(() => undefined),
        last: (await desk.ask('head'))?.sequence ?? 0,
        hashOf: async (sequence) => (await desk.ask('entry', sequence))?.hash,
      }),
    from: checks.from,
    retain: (keep) => inTurn(() => retain(keep, { desk, health, signer, from: checks.from })),
    publicKey: signer.publicKey,
    quiet,
  }
}

/** The log has written it: a record, with its place before it. */
function recordIn({ text }: AuditEntry): AuditRecord {
  const { sequence: _, previous: __, ...record } = JSON.parse(text) as AuditRecord & { sequence: number; previous: unknown }
  return record
}
