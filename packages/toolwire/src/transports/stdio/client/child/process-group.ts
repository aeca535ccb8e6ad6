import { spawn } from 'node:child_process'

/**
 * Sends a signal to a child and what it has started in turn, and says whether there was anyone to tell; signal 0 only asks. Children
 * are started as leaders of a process group, which has the same number.
 */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0, platform = process.platform): boolean {
  if (platform !== 'win32') return kill(-pid, signal)
  // Windows knows no groups and no polite signal; it finds the children of a process as long as that lives.
  if (signal === 0) return false
  const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
  killer.on('error', () => kill(pid, signal))
  return true
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // ESRCH: nobody is left. EPERM: only zombies are (macOS), or someone who is not ours to end.
    return false
  }
}
