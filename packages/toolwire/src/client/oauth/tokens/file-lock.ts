// Node only.

/** An older lock is that of a process that has died, because writing one small file takes much less time. */
const staleMs = 10_000
const retryMs = 10

/** Runs work while no other process, and nothing else in this one, holds the lock file. */
export async function withFileLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const { rm } = await import('node:fs/promises')
  while (!(await takeLock(lock))) await new Promise((resolve) => setTimeout(resolve, retryMs))
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Takes the lock; false if another one holds it. */
async function takeLock(lock: string): Promise<boolean> {
  const { rm, stat, writeFile } = await import('node:fs/promises')
  try {
    await writeFile(lock, '', { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  try {
    const { mtimeMs } = await stat(lock)
    if (Math.abs(Date.now() - mtimeMs) > staleMs) await rm(lock, { force: true })
  } catch (error) {
    // The holder has released it meanwhile.
    if (!isCode(error, 'ENOENT')) throw error
  }
  return false
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
