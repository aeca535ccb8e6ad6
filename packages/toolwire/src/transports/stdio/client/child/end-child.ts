import { withDeadline } from '../../../../bounds/deadline.js'
import { signalGroup } from './process-group.js'

/** How long those get who have outlived the process that started them. */
const orphanMs = 200

/**
 * Waits for a child whose stdin has been ended, and ends it less and less politely; then what it has left behind.
 * spec 2026-07-28, basic/transports/stdio#shutdown
 */
export async function endChild(pid: number, exited: Promise<unknown>, graceMs: number): Promise<void> {
  const hasExited = () => withDeadline(graceMs, exited.then(isDone), isNotDone)
  if (!(await hasExited())) {
    signalGroup(pid, 'SIGTERM')
    if (!(await hasExited())) {
      signalGroup(pid, 'SIGKILL')
      await hasExited()
    }
  }
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
