// Applies the operator's retention limits whenever they change, and once an hour.
import type { AuditHead } from 'toolwire/guard'
import { isUnavailable } from '../postgres/failures.js'
import { StoreFailure } from '../store-failure.js'
import type { ThreadClient } from '../thread-client.js'
import type { HeadSigner } from './signed-head.js'
import type { StoredAudit } from './stored-audit.js'

/** Limits of the log; without limits all of it is kept. The last record is always kept. */
export type Retention = {
  readonly days?: number
  readonly records?: number
  /** The clock was not observed for an hour. If it is more than a day after the last record of an earlier run, nothing is dropped by time. */
  readonly isClockNew?: boolean
}

type RetentionParts = {
  readonly thread: ThreadClient
  readonly signer: HeadSigner
  /** Returns the last dropped record, after which the log begins. Throws if its mark was not signed for this purpose. */
  readonly from: () => Promise<AuditHead | undefined>
}

const dayMs = 86_400_000
const everyMs = 3_600_000
/** A larger difference between the clocks means that the wall clock was set, or that the machine slept. */
const clockJumpMs = 60_000

const wallClockLead = (): number => Date.now() - performance.now()

/**
 * Drops records in steps. Each step signs the last record that it drops, so the log can be verified after any step. Altered records are
 * not dropped, because nobody could tell any more that they were changed.
 */
export async function applyRetention({ days, records, isClockNew }: Retention, parts: RetentionParts): Promise<number> {
  const { thread, signer, from } = parts
  const now = Date.now()
  const keep = {
    ...(records !== undefined && { records }),
    ...(days !== undefined && { before: now - days * dayMs }),
    ...(isClockNew && { newest: now - dayMs }),
  }
  let dropped = 0
  for (;;) {
    const head = await thread.run('cut', keep)
    if (!head) return dropped
    const verdict = await thread.watch('verify', { from: plainHead(await from()), head: undefined, until: head.sequence })
    if (!verdict.ok)
      throw new Error(
        `Record ${verdict.sequence} of the log was altered, so no old records are dropped: ${verdict.why}. ` +
          'Verify the log: toolwire audit verify',
      )
    dropped += await thread.write('dropRecords', head, JSON.stringify(signer.sign(head, 'retention')))
  }
}

export const plainHead = (head: AuditHead | undefined): AuditHead | undefined =>
  head && { sequence: head.sequence, hash: head.hash }

/** The store's `trouble` reports failures of the disk, and a database that cannot be reached. */
const isReported = (thrown: unknown): boolean =>
  thrown instanceof StoreFailure && (!thrown.code?.startsWith('POSTGRES') || isUnavailable(thrown))

/** The hash of a record of which the log may begin later: null if it was dropped, undefined if it was not. */
export function droppedHash(begin: AuditHead | undefined, sequence: number): string | null | undefined {
  if (!begin || sequence > begin.sequence) return undefined
  return sequence === begin.sequence ? begin.hash : null
}

export function retentionSchedule({ retain }: Pick<StoredAudit, 'retain'>, onTrouble: (words: string) => void) {
  let timer: NodeJS.Timeout | undefined
  let keep: Retention = {}
  let isClockNew = true
  let lead = wallClockLead()

  function work(): void {
    if (keep.days === undefined && keep.records === undefined) return
    void retain({ ...keep, isClockNew }).catch((thrown: unknown) => {
      if (!isReported(thrown)) onTrouble(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }

  function workAgain(): void {
    const before = lead
    lead = wallClockLead()
    isClockNew = Math.abs(lead - before) > clockJumpMs
    work()
  }

  return {
    use(wanted: Retention): void {
      keep = wanted
      timer ??= setInterval(workAgain, everyMs).unref()
      work()
    },
    close: () => clearInterval(timer),
  }
}
