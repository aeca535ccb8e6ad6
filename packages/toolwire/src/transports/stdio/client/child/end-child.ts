import { withDeadline } from '../../../../bounds/deadline.js'
import { signalGroup } from './process-group.js'

/** Milliseconds for processes that have outlived the child that started them. */
const orphanMs = 200

/**
 * Waits for a child whose stdin has been ended, sends SIGTERM and then SIGKILL if it stays, and ends the processes that it left.
 * spec 2026-07-28, basic/transports/stdio#shutdown
 */
export async function endChild(
  pid: number,
  exited: Promise<unknown>,
  graceMs: number,
  platform = process.platform,
): Promise<void> {
  const hasExited = () => withDeadline(graceMs, exited.then(isDone), isNotDone)
  if (!(await hasExited())) {
    signalGroup(pid, 'SIGTERM')
    if (!(await hasExited())) {
      signalGroup(pid, 'SIGKILL')
      await hasExited()
    }
  }
  // Windows has no groups that outlive their leader, and may have given its number to another process.
  if (platform === 'win32') return
  if (!signalGroup(pid, 'SIGTERM') || (await isEmptyWithin(orphanMs, pid))) return
  signalGroup(pid, 'SIGKILL')
  await isEmptyWithin(orphanMs, pid)
}

const isDone = () => true
const isNotDone = () => false

async function isEmptyWithin(ms: number, pid: number): Promise<boolean> {
  const end = performance.now() + ms
  while (signalGroup(pid, 0)) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}
