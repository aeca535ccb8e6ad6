import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEntry, AuditHead, AuditLog, AuditRecord } from 'toolwire/guard'
import { approvals } from 'toolwire/relay'
import type { ApprovalUse } from '../../approvals/approval-row.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { StoreFailure } from '../../store-failure.js'
import type { Postgres } from '../connection.js'
import { isLocked } from '../failures.js'
import { appendGroup, appendWithUse, StreamMismatch } from './append-group.js'
import { patientTries, retryEveryMs } from './patient-tries.js'
import { isSealed, streamEnd } from './stream-end.js'

/** Callers hear within five seconds that nothing can be recorded. */
const patienceMs = 4_200
/** Where several calls are made at once, about as long as a commit takes. */
const paceMs = 4
const lookEveryMs = 1

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
  const patiently = patientTries({ postgres, isWell: () => isWell, withinMs: patienceMs })
  let safe: AuditHead | undefined
  let isWell = true
  let unwritten = 0
  let chain = newChain()

  function newChain() {
    let failed: unknown
    let end: AuditHead | undefined
    const orFail = async <T>(work: () => Promise<T>): Promise<T> => {
      if (failed !== undefined) throw failed
      try {
        const done = await work()
        noteHealth(undefined)
        return done
      } catch (thrown) {
        failed = thrown
        chain = newChain()
        noteHealth(thrown)
        throw thrown
      }
    }
    function added(entries: readonly AuditEntry[]): void {
      end = headOf(entries.at(-1))
      safe = end
      onAdded()
    }
    const log = approvals.chainedLog({
      paceMs,
      head: async () => {
        end = await orFail(() => patiently(whereItEnds))
        return end
      },
      write: async (entries) => {
        await orFail(() => patiently(() => appendGroup(appending, end, entries)))
        added(entries)
      },
    })
    return {
      append: log.append,
      /** Undefined where another one is using the approval at this moment. */
      async appendWithUse(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean | undefined> {
        let isUsed: boolean | undefined
        let isFirstTry = true
        const tryUse = async (entries: readonly AuditEntry[]) => {
          try {
            return await appendWithUse({ ...appending, transaction: postgres.transaction }, end, entries, use)
          } catch (thrown) {
            // Later it may be this very call, before its first try has come through.
            if (isFirstTry && isLocked(thrown)) return undefined
            isFirstTry = false
            throw thrown
          }
        }
        await log.appendIf(records, async (entries) => {
          isUsed = await orFail(() => patiently(() => tryUse(entries)))
          if (isUsed) added(entries)
          return isUsed === true
        })
        return isUsed
      },
    }
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

  const written = () => {
    unwritten--
  }

  function counted<T>(writing: Promise<T>): Promise<T> {
    unwritten++
    writing.then(written, written)
    return writing
  }

  async function usedInTime(records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> {
    for (const until = performance.now() + patienceMs; performance.now() < until; await pause(retryEveryMs)) {
      const isUsed = await chain.appendWithUse(records, use)
      if (isUsed !== undefined) return isUsed
    }
    throw new StoreFailure('Another replica has begun to use the approval, and has not ended', 'POSTGRES_55P03')
  }

  return {
    append(record: AuditRecord): ReturnType<AuditLog['append']> {
      const appended = chain.append(record)
      return appended && counted(appended)
    },
    /** Other records do not wait while another replica has the approval. */
    appendWithUse: (records: readonly AuditRecord[], use: ApprovalUse): Promise<boolean> => counted(usedInTime(records, use)),
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
