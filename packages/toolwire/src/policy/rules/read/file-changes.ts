import type { FSWatcher } from 'node:fs'

/** When a file is looked at. */
type Rhythm = { readonly settleMs?: number; readonly pollMs?: number }

/**
 * Calls `look` when the file may have changed, one call after the other. What is watched is its folder: editors and orchestrators
 * put a new file, or a new link, in the place of the old one.
 */
export async function onFileChange(
  path: string,
  look: () => Promise<void>,
  { settleMs = 100, pollMs = 2_000 }: Rhythm,
): Promise<() => void> {
  const { watch } = await import('node:fs')
  const { dirname } = await import('node:path')
  let timer: ReturnType<typeof setTimeout> | undefined
  let watcher: FSWatcher | undefined
  let looking = false
  let heard = false
  let closed = false

  function later(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(() => void turn(), ms).unref()
  }

  /** The first that is heard sets the time: other files of the folder, which may change for ever, do not put it off. */
  function hear(): void {
    if (!looking && !heard) later(settleMs)
    heard = true
  }

  async function turn(): Promise<void> {
    looking = true
    heard = false
    await look().finally(() => {
      looking = false
      later(heard ? settleMs : pollMs)
    })
  }

  try {
    watcher = watch(dirname(path), { persistent: false }, hear).on('error', () => watcher?.close())
  } catch {
    watcher = undefined // not every system can watch; then the file is looked at from time to time
  }
  later(pollMs)
  return () => {
    closed = true
    clearTimeout(timer)
    watcher?.close()
  }
}
