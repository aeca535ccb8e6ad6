// What not every machine has. Where it is missing, the tests that need it say so and are left out; where all must run, that is a failure.
import { spawnSync } from 'node:child_process'
import { it } from 'vitest'

export function here(what: string, isHere: () => boolean): boolean {
  if (isHere()) return true
  if (process.env.CI) throw new Error(`${what}: not to be had here`)
  console.warn(`skipped: ${what}: not to be had here`)
  return false
}

/** What the kernel lets nobody do on this machine cannot be shown on it: the test is left out, also where all others must run. */
export function itWhere(what: string, isHere: () => boolean): typeof it {
  if (isHere()) return it
  console.warn(`left out: ${what}: the kernel does not allow it here`)
  return (() => undefined) as object as typeof it // nobody asks what became of it
}

/** Mounts are only tried in a space of their own, which is gone at once. */
const worksApart = (script: string): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'sh', '-ec', script]).status === 0

export const smallDisks = (): boolean => worksApart('mount -t tmpfs tmpfs /mnt')

/** A file system in a file, which can be stopped, and told that it is broken. */
export const blockDisks = (): boolean =>
  worksApart(`
    mount -t tmpfs tmpfs /mnt; mkdir /mnt/disk; truncate -s 1M /mnt/image; mkfs.ext4 -q -F -O ^has_journal /mnt/image
    mount -o loop /mnt/image /mnt/disk; command -v fsfreeze
    test -e /sys/fs/ext4/$(basename $(findmnt -n -o SOURCE /mnt/disk))/trigger_fs_error; umount /mnt/disk`)

/** Elsewhere no limit of a process can be lifted from outside. */
export const liftableLimits = (): boolean => process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
