import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEntry, AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { approvals } from 'toolwire/relay'
import type { ApprovalUse } from '../../approvals/approval-row.js'
import { pendingWrites } from '../../audit/log-writer.js'
import { plainHead } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { StoreFailure } from '../../store-failure.js'
import type { Postgres, Sql } from '../connection.js'
import { isLocked } from '../failures.js'
import { appendAfterEnd } from '../spool/append-after-end.js'
import { isUnreachable, recordSpool, type SpoolPlace } from '../spool/record-spool.js'
import { appendGroup, appendWithUse, StreamExtended, StreamMismatch } from './append-group.js'
import { databaseRetries, retryEveryMs } from './database-retries.js'
import { isSealed, streamEnd } from './stream-end.js'

/** Within five seconds, callers learn that nothing can be recorded. */
const refuseAfterMs = 4_200
/** Often long enough for a database that restarts. */
const spoolAfterMs = 1_000
/** About the time of one commit, for calls that are made at the same time. */
const paceMs = 4

type WriterParts = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  readonly stream: string
  /** Called when records are safe. */
  readonly onAdded: () => void
  /** Called with the error that kept the last records from being written, or with undefined. */
  readonly onHealth: (trouble: unknown) => void
  /** Keeps records while the database is away; without it, calls are refused then. */
  readonly spool?: SpoolPlace & { readonly onTrouble: (words: string) => void }
}

class BehindFailure extends Error {
  override readonly name = 'BehindFailure'
}

/** True if the records can be written in the next chain. */
const isBehind = (thrown: unknown): boolean => thrown instanceof BehindFailure || thrown instanceof StreamExtended

/**
 * The chain of this replica. After a failed write it is unknown whether the records were stored. So a new chain begins at the end of the
 * stream in the database, and writes behind the failed one fail too. With a spool, those records wait there, and may be in both places.
 */
export function streamWriter({ postgres, signer, stream: first, onAdded, onHealth, spool: place }: WriterParts) {
  const stream = ownStream(postgres.sql, signer, first)
  let isHealthy = true
  const withRetries = databaseRetries({ postgres, isHealthy: () => isHealthy, withinMs: place ? spoolAfterMs : refuseAfterMs })
  function added(last: AuditHead | undefined): void {
    stream.added(last)
    onAdded()
  }
  const spool =
    place &&
    recordSpool({
      ...place,
      signer,
      move: (entries, withinMs) => withRetries(() => appendAfterEnd(stream.appending, entries), withinMs),
      onMoved: added,
    })
  const { counted, quiet } = pendingWrites()
  const newChain = () => streamChain({ postgres, stream, spool, withRetries, onAdded: added, onTry: noteTry })
  let chain = newChain()

  function noteTry(failure: unknown): void {
    if (failure !== undefined) chain = newChain()
    const trouble = isBehind(failure) ? undefined : failure
    isHealthy = trouble === undefined
    onHealth(trouble)
  }

  /** Writes a record in the next chain if it only waited behind another one. */
  const again = (record: AuditRecord) => (thrown: unknown) => {
    if (isBehind(thrown)) return chain.append(record)
    throw thrown
  }

  async function useWithRetries(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> {
    for (const until = performance.now() + refuseAfterMs; performance.now() < until; await pause(retryEveryMs)) {
      const isUsed = await chain.appendWithUse(records, use).catch((thrown: unknown) => {
        if (!isBehind(thrown)) throw thrown
      })
      if (isUsed !== undefined) return isUsed
    }
    throw new StoreFailure('Another replica is using the same approval, and has not finished', 'POSTGRES_55P03')
  }

  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      const appended = chain.append(record)
      return appended && counted(appended.catch(again(record)))
    },
    /** Other records do not wait while another replica uses the approval. */
    appendWithUse: (records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> => counted(useWithRetries(records, use)),
    /** The last record that is safe in the database. */
    head: () => stream.safe,
    stream: () => stream.appending.stream,
    /** Undefined without a spool. */
    spooled: () => spool?.state,
    quiet,
    close: async () => spool?.close(),
  }
}

type ChainParts = Pick<WriterParts, 'postgres'> & {
  readonly stream: ReturnType<typeof ownStream>
  readonly spool: ReturnType<typeof recordSpool> | undefined
  readonly withRetries: ReturnType<typeof databaseRetries>
  readonly onAdded: (last: AuditHead | undefined) => void
  /** Called with the result of a write. After a failure, the chain takes nothing more. */
  readonly onTry: (trouble: unknown) => void
}

/** A chain that continues at the end of the stream in the database, until a write fails. */
function streamChain({ postgres, stream, spool, withRetries, onAdded, onTry }: ChainParts) {
  let failed: unknown
  let end: AuditHead | undefined

  async function orFail<T>(work: () => Promise<T>): Promise<T> {
    if (failed !== undefined)
      throw spool ? new BehindFailure('Records before this one could not be written', { cause: failed }) : failed
    try {
      const done = await work()
      onTry(undefined)
      return done
    } catch (thrown) {
      failed = thrown
      onTry(thrown)
      throw thrown
    }
  }

  function added(entries: readonly AuditEntry[]): void {
    end = plainHead(entries.at(-1))
    onAdded(end)
  }

  /** With a spool, an end that cannot be read is left as it is, and another stream begins. */
  async function readChainEnd(): Promise<AuditHead | undefined> {
    try {
      return await withRetries(stream.end)
    } catch (thrown) {
      if (!spool || !isUnreachable(thrown)) throw thrown
      stream.beginAnother()
      return undefined
    }
  }

  const log = approvals.chainedLog({
    paceMs,
    head: async () => {
      end = spool?.end ?? (await orFail(readChainEnd))
      return end
    },
    write: async (entries) => {
      const write = () => withRetries(() => appendGroup(stream.appending, end, entries))
      if (!spool) await orFail(write)
      else if (!(await orFail(() => spool.write(stream.appending.stream, entries, write)))) {
        end = plainHead(entries.at(-1))
        return
      }
      added(entries)
    },
  })
  return {
    append: log.append,
    /** Returns undefined if another replica is using the approval at this moment. */
    async appendWithUse(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean | undefined> {
      let isUsed: boolean | undefined
      let isFirstTry = true
      const tryUse = async (entries: readonly AuditEntry[]) => {
        try {
          return await appendWithUse({ ...stream.appending, transaction: postgres.transaction }, end, entries, use)
        } catch (thrown) {
          // A later lock may be held by this very call, whose first try is still running.
          if (isFirstTry && isLocked(thrown)) return undefined
          isFirstTry = false
          throw thrown
        }
      }
      await log.appendIf(records, async (entries) => {
        if (spool?.end)
          throw new StoreFailure('PostgreSQL cannot be reached: approvals cannot be used until it answers', 'POSTGRES')
        isUsed = await orFail(() => withRetries(() => tryUse(entries)))
        if (isUsed) added(entries)
        return isUsed === true
      })
      return isUsed
    },
  }
}

/** The stream of this replica: its name, and its last record that is safe in the database. */
function ownStream(sql: Sql, signer: HeadSigner, first: string) {
  let appending = { sql, signer, stream: first, open: new Map<string, number>() }
  let safe: AuditHead | undefined
  return {
    get appending() {
      return appending
    },
    get safe() {
      return safe
    },
    added(last: AuditHead | undefined): void {
      safe = last
    },
    beginAnother(): void {
      appending = { ...appending, stream: randomUUID() }
      safe = undefined
    },
    /** The end of the stream in the database; throws if this replica did not leave it there. */
    async end(): Promise<AuditHead | undefined> {
      const { stream } = appending
      const end = await streamEnd(sql, stream)
      const isOurs = end ? isSealed(end, signer) && end.sequence >= (safe?.sequence ?? 0) : safe === undefined
      if (!isOurs || (end?.sequence === safe?.sequence && end?.hash !== safe?.hash))
        throw new StreamMismatch(
          `Stream ${stream} of the audit log differs from the records that this replica wrote. Verify the log: toolwire audit verify`,
        )
      return plainHead(end)
    },
  }
}
