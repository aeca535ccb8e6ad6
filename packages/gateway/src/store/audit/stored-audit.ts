import type { AuditEntry, AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { ApprovalUse } from '../approvals/approval-row.js'
import type { ThreadClient } from '../thread-client.js'
import { checkWitness, type WitnessResult } from '../witness/check-witness.js'
import type { AuditCall, AuditPage, AuditQuery } from './audit-query.js'
import { type ExportFormat, exportAudit } from './export-audit.js'
import { logFollower } from './follow-log.js'
import { logPages } from './log-pages.js'
import { logWriter } from './log-writer.js'
import { applyRetention, type Retention } from './retention.js'
import type { HeadSigner, SignedHead } from './signed-head.js'
import { logVerifier, type VerifyStored } from './verify-log.js'

/** A record as it is kept, and the call that it belongs to. */
export type StoredRecord = { readonly entry: AuditEntry; readonly record: AuditRecord; readonly call: AuditCall | undefined }

/** Calls since a moment, with some of those before it; but no more of them than so many: the latest. */
type PastCallsQuery = { readonly from: number; readonly most: number; readonly signal: AbortSignal }

export type StoredAudit = ReturnType<typeof storedAudit>

/** Others ask the thread in between. */
const pageSize = 1_000

/** The log, in the database. */
export function storedAudit(thread: ThreadClient, signer: HeadSigner, begin: AuditHead | undefined) {
  const { added, from: followFrom } = logFollower(thread)
  const { append, appendIf, head, quiet } = logWriter(begin, async (entries) => {
    await thread.write('append', entries)
    added()
  })
  const { verify, checkHead, from } = logVerifier(thread, signer, head)
  // Nothing is dropped from the log while it is read to its end.
  const inTurn = oneAtATime()
  let last: AuditRecord | undefined

  async function* past({ from, most, signal }: PastCallsQuery): AsyncGenerator<readonly AuditCall[]> {
    const until = head()?.sequence ?? 0
    const first = await thread.run('firstSince', from)
    if (first === undefined) return
    // Of each call there are two records.
    const after = Math.max(first - 1, until - 2 * most)
    for await (const page of logPages((at) => thread.run('callsAfter', at, pageSize), after, until)) {
      yield page
      if (signal.aborted) return
    }
  }

  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      last = record
      return append(record)
    },
    /** Uses an approval and records it, or neither: false where it was used before, or holds no longer. */
    appendWithUse(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> {
      return appendIf(records, async (entries) => {
        const isUsed = await thread.write('useApproval', use, entries)
        if (isUsed) added()
        return isUsed
      })
    },
    /** The record that was appended last, safe or not. */
    get last() {
      return last
    },
    get head() {
      return head()
    },
    search: (query: AuditQuery): Promise<AuditPage> => thread.run('search', query),
    async record(sequence: number): Promise<StoredRecord | undefined> {
      const entry = await thread.run('entry', sequence)
      if (!entry) return undefined
      const record = recordIn(entry)
      return { entry, record, call: await thread.run('callOf', record.id) }
    },
    /** The call with this id, as both of its records have it. */
    callOf: (id: string): Promise<AuditCall | undefined> => thread.run('callOf', id),
    /** Calls that have been made before now, in the order of the log, page by page. */
    past,
    /** Every record after this one, or only new ones, once they are safe on disk. Ends with the signal. */
    follow: (after: number | undefined, signal: AbortSignal) => followFrom(after ?? head()?.sequence ?? 0, signal),
    verify: (options?: VerifyStored) => inTurn(() => verify(options)),
    /** Lines for `verifyAudit`, or a table of calls. */
    export: (format: ExportFormat) => exportAudit(thread, format),
    signHead(): SignedHead | undefined {
      const last = head()
      return last && signer.sign(last, 'head')
    },
    checkHead,
    /** What the head was when it had this number; undefined where it is no more, or not yet. */
    headHash: async (sequence: number): Promise<string | undefined> => (await thread.run('entry', sequence))?.hash,
    /** Whether the log still has all of these, which a witness has kept. */
    checkWitnessed: async (heads: readonly SignedHead[]): Promise<WitnessResult> =>
      checkWitness(heads, {
        publicKey: signer.publicKey,
        // `verify` reports an invalid mark.
        from: await from().catch(() => undefined),
        last: (await thread.run('head'))?.sequence ?? 0,
        hashOf: async (sequence) => (await thread.run('entry', sequence))?.hash,
      }),
    from,
    /** Drops what is older, or more, than is to be kept; gives how many records. */
    retain: (keep: Retention) => inTurn(() => applyRetention(keep, { thread, signer, from })),
    /** Lets others check signed heads. */
    publicKey: signer.publicKey,
    quiet,
  }
}

/** The log has written it: a record, with its place before it. */
export function recordIn({ text }: AuditEntry): AuditRecord {
  const { sequence: _, previous: __, ...record } = JSON.parse(text) as AuditRecord & { sequence: number; previous: unknown }
  return record
}
