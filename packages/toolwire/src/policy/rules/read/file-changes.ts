import type { FSWatcher } from 'node:fs'
import { longestTimer } from '../../../bounds/longest-timer.js'
import { reportThrown } from '../../notify-listener.js'

/** Delays before a check of the files. */
type Rhythm = { readonly settleMs?: number | undefined; readonly pollMs?: number | undefined }

export type FileChanges = {
  /** Checks the files soon, as if one had changed. */
  hear(): void
  close(): void
}

/**
 * Calls `look` when the files may have changed, never twice at a time. The first call comes soon, because a file may have changed before it
 * was watched. The folders are watched, because editors and orchestrators replace a file or a link with a new one.
 */
export async function onFileChange(
  files: () => readonly string[],
  look: () => Promise<void>,
  { settleMs = 100, pollMs = 2_000 }: Rhythm,
): Promise<FileChanges> {
  const { watch } = await import('node:fs')
  const { dirname } = await import('node:path')
  const folders = new Map<string, FSWatcher>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking = false
  let heard = false
  let closed = false

  function later(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(() => void turn(), Math.min(ms, longestTimer)).unref()
  }

  /** The first event sets the time, so that other files of the folder, which may change for ever, do not put it off. */
  function hear(): void {
    if (!looking && !heard) later(settleMs)
    heard = true
  }

  async function turn(): Promise<void> {
    looking = true
    heard = false
    try {
      await look()
    } catch (thrown) {
      reportThrown('The check of a changed file', thrown)
    }
    looking = false
    watchFolders()
    later(heard ? settleMs : pollMs)
  }

  function watchFolders(): void {
    const wanted = new Set(closed ? [] : files().map((path) => dirname(path)))
    for (const folder of folders.keys()) if (!wanted.has(folder)) leave(folder)
    for (const folder of wanted) if (!folders.has(folder)) watchFolder(folder)
  }

  function watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, hear)
      folders.set(
        folder,
        watcher.on('error', () => leave(folder)),
      )
    } catch {
      // Not every system can watch files. They are then checked from time to time.
    }
  }

  function leave(folder: string): void {
    folders.get(folder)?.close()
    folders.delete(folder)
  }

  watchFolders()
  later(settleMs)
  return {
    hear,
    close() {
      closed = true
      clearTimeout(timer)
      watchFolders()
    },
  }
}
