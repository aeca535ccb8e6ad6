// The thread that has the database: it may wait for the disk as long as it takes.
import type { MessagePort } from 'node:worker_threads'
import { type DatabaseConnection, inTransaction, openDatabase, prepare } from '../connection.js'
import { eraseOldPages, migrate } from '../migrations.js'
import { nowFrom } from './clock-moment.js'
import { type DirectoryLock, lockDirectory } from './directory-lock.js'
import { JobBatches } from './job-batches.js'
import { databaseJobs } from './jobs.js'
import { type JobRequest, serializeError, type ThreadNotice, type ThreadStart } from './messages.js'

export function runDatabaseThread(port: MessagePort, start: ThreadStart): void {
  const say = (notice: ThreadNotice) => port.postMessage(notice)
  const opened = open(start)
  if ('refused' in opened) {
    say(opened)
    port.close()
    return
  }
  const { db, held, note } = opened
  const groups = new JobBatches(db, databaseJobs(db), (answer) => port.postMessage(answer))
  port.on('message', (asked: JobRequest | 'close') => {
    if (asked === 'close') close()
    else groups.add(asked)
  })
  say({ opened: true, ...(note !== undefined && { note }) })

  function close(): void {
    groups.settle()
    groups.close()
    db.close()
    held.release()
    say({ closed: true })
    port.close()
  }
}

function open({
  directory,
  file,
  now,
  wall,
}: ThreadStart):
  | { db: DatabaseConnection; held: DirectoryLock; note: string | undefined }
  | { refused: ReturnType<typeof serializeError> } {
  let held: DirectoryLock | undefined
  try {
    held = lockDirectory(directory)
    const db = openDatabase(file)
    const note = eraseOldPages(db, migrate(db))
    inTransaction(db, () => restoreApprovals(db, { now: nowFrom(now), wall }))
    return { db, held, note }
  } catch (thrown) {
    held?.release()
    return { refused: serializeError(thrown) }
  }
}

/**
 * Nobody waits any more for what a process before this one was asked: a call that comes back finds the decision. Setting the clock
 * back while nothing ran gives nobody more time than they had.
 */
function restoreApprovals(db: DatabaseConnection, { now, wall }: { readonly now: number; readonly wall: number }): void {
  prepare(db, 'UPDATE approvals SET until = ? + min(expires - ?, waits) WHERE live = 1').run(now, wall)
  prepare(
    db,
    `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'expired' END WHERE live = 1 AND until <= ?`,
  ).run(now)
  // Of identical calls that waited side by side the last one stands for all that come back.
  prepare(
    db,
    `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'gone' END WHERE live = 1 AND added NOT IN
       (SELECT max(added) FROM approvals WHERE live = 1 GROUP BY call_digest)`,
  ).run()
  prepare(db, 'UPDATE approvals SET held = 0 WHERE live = 1').run()
}
