// Requirements that some machines lack. Their tests are skipped with a message, or fail where all tests must run.
import { spawnSync } from 'node:child_process'
import { it } from 'vitest'

export function here(what: string, isHere: () => boolean): boolean {
  if (isHere()) return true
  if (process.env.CI) throw new Error(`${what} is not available here`)
  console.warn(`skipped: ${what} is not available here`)
  return false
}

/** A test that the kernel of this machine makes impossible is skipped, even where all others must run. */
export function itWhere(what: string, isHere: () => boolean): typeof it {
  if (isHere()) return it
  console.warn(`skipped: the kernel does not allow ${what} here`)
  return (() => undefined) as object as typeof it // a skipped test has no result
}

/** Tries mounts in a mount namespace of its own, which vanishes afterwards. */
const worksApart = (script: string): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'sh', '-ec', script]).status === 0

export const smallDisks = (): boolean => worksApart('mount -t tmpfs tmpfs /mnt')

/** Tries a file system in a file, which can be frozen and marked as broken. */
export const blockDisks = (): boolean =>
  worksApart(`
    mount -t tmpfs tmpfs /mnt; mkdir /mnt/disk; truncate -s 1M /mnt/image; mkfs.ext4 -q -F -O ^has_journal /mnt/image
    mount -o loop /mnt/image /mnt/disk; command -v fsfreeze
    test -e /sys/fs/ext4/$(basename $(findmnt -n -o SOURCE /mnt/disk))/trigger_fs_error; umount /mnt/disk`)

/** Only Linux can lift the limit of a process from outside. */
export const liftableLimits = (): boolean => process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
