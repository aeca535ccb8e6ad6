// A disk image with its own file system, which tests can freeze or break.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

export type BlockDisk = {
  readonly folder: string
  /** Blocks all writes from now on. */
  freeze(): void
  thaw(): void
  /** Simulates an error of the file system, which then becomes read-only. */
  breakDown(): void
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** A disk that is removed after the test. `blockDisks` tells whether this machine supports it. */
export function blockDisk(): BlockDisk {
  const at = mkdtempSync(join(tmpdir(), 'toolwire-block-'))
  const [image, folder] = [join(at, 'image'), join(at, 'disk')]
  const clear = () => {
    spawnSync('fsfreeze', ['-u', folder])
    spawnSync('umount', ['-l', folder])
    rmSync(at, { recursive: true, force: true })
  }
  onTestFinished(clear)
  mkdirSync(folder)
  run('truncate', '-s', '24M', image)
  // Without a journal, a file system with errors can still be unmounted.
  run('mkfs.ext4', '-q', '-F', '-O', '^has_journal', image)
  run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  const device = basename(run('findmnt', '-n', '-o', 'SOURCE', folder).trim())
  return {
    folder,
    freeze() {
      // A second process thaws the disk in case this one dies before.
      spawn('sh', ['-c', `sleep 60; fsfreeze -u '${folder}'`], { detached: true, stdio: 'ignore' }).unref()
      run('fsfreeze', '-f', folder)
    },
    thaw: () => void run('fsfreeze', '-u', folder),
    breakDown: () => writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1'),
  }
}
