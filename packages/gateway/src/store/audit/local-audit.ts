import type { ThreadClient } from '../thread-client.js'
import { keepLogSigner } from './log-signer.js'
import { resignOldHead } from './resign-old-head.js'
import { type Retention, retentionSchedule } from './retention.js'
import type { HeadSigner } from './signed-head.js'
import { type StoredAudit, storedAudit } from './stored-audit.js'

type Parts = {
  readonly directory: string
  readonly signer: HeadSigner
  readonly retention?: Retention
  readonly onNote: (words: string) => void
}

export type OpenedAudit = {
  readonly audit: StoredAudit
  /** Settles when all appended records are written. */
  close(): Promise<void>
}

/** The log of one gateway, in the database of its data directory. */
export async function openLocalAudit(
  thread: ThreadClient,
  { directory, signer, retention, onNote }: Parts,
): Promise<OpenedAudit> {
  const audit = storedAudit(thread, signer, await thread.run('head'))
  await keepLogSigner({ thread, signer, log: audit, onNote })
  await resignOldHead({ directory, thread, signer, log: audit, onNote })
  const schedule = retentionSchedule(audit, onNote)
  schedule.use(retention ?? {})
  return {
    audit,
    close() {
      schedule.close()
      return audit.quiet()
    },
  }
}
