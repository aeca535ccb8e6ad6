import type { AuditEntry, AuditHead, AuditLog, AuditRecord, AuditVerdict } from 'toolwire/guard'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { StoreHealth } from '../store-health.js'
import type { ThreadClient } from '../thread-client.js'
import { checkWitness, type WitnessResult } from '../witness/check-witness.js'
import type { AuditCall, AuditPage, AuditQuery } from './audit-query.js'
import { type ExportFormat, exportAudit } from './export-audit.js'
import { LogFollower } from './follow-log.js'
import { logWriter } from './log-writer.js'
import { type PastCallsQuery, pastCalls } from './past-calls.js'
import { applyRetention, type Retention } from './retention.js'
import type { HeadSigner, SignedHead } from './signed-head.js'
import { logVerifier } from './verify-log.js'

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
  past(which: PastCallsQuery): AsyncIterable<readonly AuditCall[]>
  /** Every record after this one, then new ones once they are safe on disk. Ends with the signal. */
  follow(after: number, signal: AbortSignal): AsyncIterable<readonly AuditEntry[]>
  verify(options?: VerifyStored): Promise<AuditVerdict>
  /** Lines for `verifyAudit`, or a table of calls. */
  export(format: ExportFormat): AsyncIterable<string>
  signHead(): SignedHead | undefined
  checkHead(signed: SignedHead): Promise<HeadVerdict>
  /** Whether the log still has all of these, which a witness has kept. */
  checkWitnessed(heads: readonly SignedHead[]): Promise<WitnessResult>
  /** The last record that was dropped: the log begins after it. */
  from(): Promise<SignedHead | undefined>
  /** Drops what is older, or more, than is to be kept; gives how many records. */
  retain(keep: Retention): Promise<number>
  /** Lets others check signed heads. */
  readonly publicKey: string
  /** Settles when all writes have ended, even if some failed. */
  quiet(): Promise<void>
}

type Parts = {
  readonly desk: ThreadClient
  readonly health: StoreHealth
  readonly signer: HeadSigner
  readonly begin: AuditHead | undefined
}

export function storedAudit({ desk: threadClient, health, signer, begin }: Parts): StoredAudit {
  const follow = new LogFollower(threadClient)
  const { log, head, quiet } = logWriter(begin, async (entries) => {
    await health.of(threadClient.run('append', entries))
    follow.added()
  })
  const checks = logVerifier({ desk: threadClient, signer, head })
  // Nothing is dropped from the log while it is read to its end.
  const inTurn = oneAtATime()
  let last: AuditRecord | undefined
  return {
    append(record) {
      last = record
      return log.append(record)
    },
    get last() {
      return last
    },
    callOf: (id) => threadClient.run('callOf', id),
    get head() {
      return head()
    },
    search: (query) => threadClient.run('search', query),
    async record(sequence) {
      const entry = await threadClient.run('entry', sequence)
      if (!entry) return undefined
      const record = recordIn(entry)
      return { entry, record, call: await threadClient.run('callOf', record.id) }
    },
    past: (which) => pastCalls(threadClient, which, head()?.sequence ?? 0),
    follow: (after, signal) => follow.from(after, signal),
    verify: (options) => inTurn(() => checks.verify(options)),
    export: (format) => exportAudit(threadClient, format),
    signHead() {
      const last = head()
      return last && signer.sign(last, 'head')
    },
    checkHead: checks.checkHead,
    checkWitnessed: async (heads) =>
      checkWitness(heads, {
        publicKey: signer.publicKey,
        // `verify` reports an invalid mark.
        from: await checks.from().catch(() => undefined),
        last: (await threadClient.run('head'))?.sequence ?? 0,
        hashOf: async (sequence) => (await threadClient.run('entry', sequence))?.hash,
      }),
    from: checks.from,
    retain: (keep) => inTurn(() => applyRetention(keep, { desk: threadClient, health, signer, from: checks.from })),
    publicKey: signer.publicKey,
    quiet,
  }
}

/** The log has written it: a record, with its place before it. */
function recordIn({ text }: AuditEntry): AuditRecord {
  const { sequence: _, previous: __, ...record } = JSON.parse(text) as AuditRecord & { sequence: number; previous: unknown }
  return record
}
