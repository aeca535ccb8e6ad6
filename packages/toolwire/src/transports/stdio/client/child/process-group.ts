import { spawn } from 'node:child_process'

/** A child and what it has started in turn. */
export type ProcessGroup = {
  /** Whether there was anyone to tell. Signal 0 only asks. */
  signal(signal: 'SIGTERM' | 'SIGKILL' | 0): boolean
}

export const processGroupOf = (pid: number, platform = process.platform): ProcessGroup =>
  platform === 'win32' ? windowsTree(pid) : posixGroup(pid)

/** Children are started as leaders of a process group, which has the same number. */
const posixGroup = (pid: number): ProcessGroup => ({ signal: (signal) => kill(-pid, signal) })

/** Windows knows no groups and no polite signal; it finds the children of a process as long as that lives. */
function windowsTree(pid: number): ProcessGroup {
  return {
    signal(signal) {
      if (signal === 0) return false
      const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
      killer.on('error', () => kill(pid, signal))
      return true
    },
  }
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // ESRCH: nobody is left. EPERM: only zombies are (macOS), or someone who is not ours to end.
    return false
  }
}
