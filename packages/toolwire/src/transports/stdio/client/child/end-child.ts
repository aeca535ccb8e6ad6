import type { ChildProcess } from 'node:child_process'
import { withDeadline } from '../../../../bounds/deadline.js'
import type { ProcessGroup } from './process-group.js'

/** How long those get who have outlived the process that started them. */
const orphanMs = 200

/** Resolves when the child has exited. */
export function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

/**
 * Waits for a child whose stdin has been ended, and ends it less and less politely.
 * spec 2026-07-28, basic/transports/stdio#shutdown
 */
export async function endChild(exited: Promise<void>, group: ProcessGroup, graceMs: number): Promise<void> {
  if (await settledWithin(graceMs, exited)) return
  group.signal('SIGTERM')
  if (await settledWithin(graceMs, exited)) return
  group.signal('SIGKILL')
  await settledWithin(graceMs, exited)
}

/** Ends what the child has left behind. */
export async function endOrphans(group: ProcessGroup): Promise<void> {
  if (!group.signal('SIGTERM') || (await isEmptyWithin(orphanMs, group))) return
  group.signal('SIGKILL')
  await isEmptyWithin(orphanMs, group)
}

async function isEmptyWithin(ms: number, group: ProcessGroup): Promise<boolean> {
  const end = performance.now() + ms
  while (group.signal(0)) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}

const settledWithin = (ms: number, work: Promise<void>): Promise<boolean> =>
  withDeadline(
    ms,
    work.then(() => true),
    () => false,
  )
