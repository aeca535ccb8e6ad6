// A disk in a file, with a file system of its own: it can be stopped, and it can be made to fail.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

export type BlockDisk = {
  readonly folder: string
  /** Whoever writes waits from now on. */
  freeze(): void
  thaw(): void
  /** The file system finds an error, and takes nothing any more. */
  breakDown(): void
}

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** One that is gone after the test. See `blockDisks` for whether there can be any. */
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
  // Without a journal, a file system that has found an error can still be taken away.
  run('mkfs.ext4', '-q', '-F', '-O', '^has_journal', image)
  run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  const device = basename(run('findmnt', '-n', '-o', 'SOURCE', folder).trim())
  return {
    folder,
    freeze() {
      // Should this process be gone before it can do so, somebody else lets it go on.
      spawn('sh', ['-c', `sleep 60; fsfreeze -u '${folder}'`], { detached: true, stdio: 'ignore' }).unref()
      run('fsfreeze', '-f', folder)
    },
    thaw: () => void run('fsfreeze', '-u', folder),
    breakDown: () => writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1'),
  }
}
