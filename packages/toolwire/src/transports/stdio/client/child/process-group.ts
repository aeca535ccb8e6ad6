import { spawn } from 'node:child_process'

/**
 * Sends a signal to a child and the processes that it has started. Returns whether any was there; signal 0 only checks. Children are
 * started as leaders of a process group, which has the same number.
 */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0, platform = process.platform): boolean {
  if (platform !== 'win32') return kill(-pid, signal)
  // Windows has no process groups and no polite signal; it finds the children of a process only while that process lives.
  if (signal === 0) return false
  const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
  killer.on('error', () => kill(pid, signal))
  return true
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // ESRCH: no process is left. EPERM: only zombies are left (macOS), or a process that is not ours to end.
    return false
  }
}
