import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEntry, type AuditHead, type AuditLog, type AuditRecord, auditLog } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import { StoreFailure } from '../../store-failure.js'
import type { Postgres } from '../connection.js'
import { appendGroup, StreamMismatch } from './append-group.js'
import { ensurePartitions } from './partitions.js'
import { isSealed, streamEnd } from './stream-end.js'

/** Callers hear within five seconds that nothing can be recorded. */
const patienceMs = 4_200
const retryEveryMs = 100
/** Where several calls are made at once, about as long as a commit takes. */
const paceMs = 4
const lookEveryMs = 1
/** SQLSTATE: a row does not fit into any partition. */
const noPartition = 'POSTGRES_23514'

type WriterParts = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  readonly stream: string
  /** Records are safe. */
  readonly onAdded: () => void
  /** Why the last records could not be written; undefined when all is well. */
  readonly onHealth: (trouble: unknown) => void
}

/**
 * The chain of this replica. When a write fails, nobody knows whether it came through: the chain is begun anew where the stream ends in
 * the database, and what waited behind that write fails with it.
 */
export function streamWriter({ postgres, signer, stream, onAdded, onHealth }: WriterParts) {
  const appending = { sql: postgres.sql, signer, stream, open: new Map<string, number>() }
  let safe: AuditHead | undefined
  let isWell = true
  let unwritten = 0
  let chain = newChain()

  function newChain(): AuditLog {
    let failed: unknown
    let end: AuditHead | undefined
    const orFail = async <T>(work: () => Promise<T>): Promise<T> => {
      if (failed !== undefined) throw failed
      try {
        const done = await patiently(work)
        noteHealth(undefined)
        return done
      } catch (thrown) {
        failed = thrown
        chain = newChain()
        noteHealth(thrown)
        throw thrown
      }
    }
    return auditLog({
      paceMs,
      head: async () => {
        end = await orFail(whereItEnds)
        return end
      },
      write: async (entries: readonly AuditEntry[]) => {
        await orFail(() => appendGroup(appending, end, entries))
        end = headOf(entries.at(-1))
        safe = end
        onAdded()
      },
    })
  }

  function noteHealth(trouble: unknown): void {
    isWell = trouble === undefined
    onHealth(trouble)
  }

  async function whereItEnds(): Promise<AuditHead | undefined> {
    const end = await streamEnd(postgres.sql, stream)
    const isOurs = end ? isSealed(end, signer) && end.sequence >= (safe?.sequence ?? 0) : safe === undefined
    if (!isOurs || (end?.sequence === safe?.sequence && end?.hash !== safe?.hash))
      throw new StreamMismatch(
        `Stream ${stream} of the audit log is not as this replica has written it. Verify the log: toolwire audit verify`,
      )
    return headOf(end)
  }

  /** Tries again until it is time to say so: only once if it has failed before, so that nobody waits for long. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + patienceMs
    for (;;) {
      try {
        return await answeredBy(until, work)
      } catch (thrown) {
        const isMissing = thrown instanceof StoreFailure && thrown.code === noPartition
        if (isMissing) await answeredBy(until, () => ensurePartitions(postgres))
        else if (!isWell || !mayPass(thrown) || performance.now() + retryEveryMs > until) throw thrown
        await pause(retryEveryMs)
      }
    }
  }

  const written = () => {
    unwritten--
  }

  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      const appended = chain.append(record)
      if (!appended) return
      unwritten++
      appended.then(written, written)
      return appended
    },
    /** The last record that is safe. */
    head: () => safe,
    /** Settles when all writes have ended, even if some failed. */
    async quiet(): Promise<void> {
      do await pause(lookEveryMs)
      while (unwritten > 0)
    },
  }
}

const headOf = (head: AuditHead | undefined): AuditHead | undefined => head && { sequence: head.sequence, hash: head.hash }

/** What waiting does not repair is told at once. */
const mayPass = (thrown: unknown): boolean => thrown instanceof StoreFailure && !/^POSTGRES_(22|23|42)/.test(thrown.code ?? '')

function answeredBy<T>(until: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new StoreFailure('PostgreSQL has not answered in time. Calls are refused until it does', 'POSTGRES_SILENT'))
    const timer = setTimeout(late, Math.max(0, until - performance.now()))
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
