// Small disks in memory.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const run = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0

/** A disk of a few megabytes; undefined without the right to mount. */
export function smallDisk(options: string): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'toolwire-disk-'))
  if (!run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory)) {
    rmSync(directory, { recursive: true })
    return undefined
  }
  onTestFinished(() => {
    run('umount', '-l', directory)
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

export const remount = (directory: string, options: string): boolean => run('mount', '-o', `remount,${options}`, directory)
