// No process can clean up after its own `kill -9`. So a small shell learns the process groups that must not outlive this process, and
// notices the end of its input when this process is gone. Windows needs none of this: there, Node puts children into a job that ends with
// this process.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { signalGroup } from './process-group.js'

/** Servers see the end of their input at the same time as the shell; most need no more than that. */
const script = `
groups=
while read -r change group; do
  others=
  for one in $groups; do [ "$one" = "$group" ] || others="$others $one"; done
  groups=$others
  [ "$change" = + ] && groups="$groups $group"
done
[ -z "$groups" ] && exit
sleep 0.7 || sleep 1
for one in $groups; do kill -s TERM -- "-$one"; done
sleep 0.7 || sleep 1
for one in $groups; do kill -s KILL -- "-$one"; done
`

const groups = new Set<number>()
let watchdog: ChildProcess | undefined

/** Prevents the group from outliving this process, until the returned function is called. */
export function watchProcessGroup(pid: number, warn: (text: string) => void): () => void {
  if (process.platform === 'win32') return () => {}
  if (groups.size === 0) process.on('exit', endAll)
  groups.add(pid)
  if (watchdog) tell(`+ ${pid}`)
  else start(warn)
  return () => {
    if (!groups.delete(pid)) return
    tell(`- ${pid}`)
    if (groups.size > 0) return
    process.off('exit', endAll)
    watchdog?.stdin?.end()
    watchdog = undefined
  }
}

function start(warn: (text: string) => void): void {
  // Detached, so that a Ctrl-C meant for us does not end it first.
  const started = spawn('/bin/sh', ['-c', script], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watchdog = started
  const lost = () => {
    if (watchdog === started) watchdog = undefined
  }
  started.once('exit', lost).once('error', ({ message }) => {
    lost()
    warn(`Servers started by this process may outlive it if it is killed: the watchdog cannot be started (${message})`)
  })
  started.unref()
  // A pipe to a child is a socket, and absent if we have no file descriptors left; the type knows neither.
  const stdin = started.stdin as Socket | undefined
  stdin?.on('error', lost).unref()
  for (const pid of groups) tell(`+ ${pid}`)
}

function tell(change: string): void {
  watchdog?.stdin?.write(`${change}\n`)
}

/** Runs when this process exits in an orderly way, when asynchronous work is no longer possible. */
function endAll(): void {
  for (const pid of groups) signalGroup(pid, watchdog ? 'SIGTERM' : 'SIGKILL')
}
