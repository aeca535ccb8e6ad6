// The thread that has the database: it may wait for the disk as long as it takes.
import type { MessagePort } from 'node:worker_threads'
import { type Connection, connect, together } from './connection.js'
import { Groups } from './groups.js'
import { jobsOn } from './jobs.js'
import { type Lock, lock } from './lock.js'
import { type Asked, failedWith, type Notice, type Start } from './messages.js'
import { nowIn } from './moment.js'
import { restoreApprovals } from './restore-approvals.js'
import { forgetOld, migrate } from './schema.js'

export function runThread(port: MessagePort, start: Start): void {
  const say = (notice: Notice) => port.postMessage(notice)
  const opened = open(start)
  if ('refused' in opened) {
    say(opened)
    port.close()
    return
  }
  const { db, held, note } = opened
  const groups = new Groups(db, jobsOn(db), (answer) => port.postMessage(answer))
  port.on('message', (asked: Asked | 'close') => {
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
}: Start): { db: Connection; held: Lock; note: string | undefined } | { refused: ReturnType<typeof failedWith> } {
  let held: Lock | undefined
  try {
    held = lock(directory)
    const db = connect(file)
    const note = forgetOld(db, migrate(db))
    together(db, () => restoreApprovals(db, { now: nowIn(now), wall }))
    return { db, held, note }
  } catch (thrown) {
    held?.release()
    return { refused: failedWith(thrown) }
  }
}
