// The thread with the database, which may wait for the disk as long as it takes.
import type { MessagePort } from 'node:worker_threads'
import { restoreApprovals } from '../approvals/approval-rows.js'
import { inTransaction, openDatabase } from '../connection.js'
import { eraseOldPages, migrate } from '../migrations.js'
import { lockDirectory } from './directory-lock.js'
import { jobBatches } from './job-batches.js'
import { type JobRequest, monotonicNow, serializeError, type ThreadNotice, type ThreadStart } from './messages.js'

export function runDatabaseThread(port: MessagePort, start: ThreadStart): void {
  const say = (notice: ThreadNotice) => port.postMessage(notice)
  const opened = open(start)
  if (opened.refused) {
    say({ refused: opened.refused })
    port.close()
    return
  }
  const { db, held, note } = opened
  const batches = jobBatches(db, (answer) => port.postMessage(answer))
  port.on('message', (asked: JobRequest | 'close') => {
    if (asked === 'close') close()
    else batches.add(asked)
  })
  say({ opened: true, ...(note !== undefined && { note }) })

  function close(): void {
    batches.close()
    db.close()
    held.release()
    say({ closed: true })
    port.close()
  }
}

function open({ directory, file, skew, wall }: ThreadStart) {
  let held: ReturnType<typeof lockDirectory> | undefined
  try {
    held = lockDirectory(directory)
    const db = openDatabase(file)
    migrate(db)
    const note = eraseOldPages(db)
    inTransaction(db, () => restoreApprovals(db, monotonicNow() + skew, wall))
    return { db, held, note }
  } catch (thrown) {
    held?.release()
    return { refused: serializeError(thrown) }
  }
}
