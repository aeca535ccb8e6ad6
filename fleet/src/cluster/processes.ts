// The processes of a run, which all end with it.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

const alive = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of alive) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

export type Running = {
  readonly pid: number
  /** The first line of standard output, or undefined if the process ends without one. */
  readonly firstLine: Promise<string | undefined>
  log(): string
  signal(name: NodeJS.Signals): void
  readonly hasEnded: boolean
  readonly ended: Promise<void>
}

const mostLog = 200_000

export function startProcess(command: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  alive.add(child)
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk).slice(-mostLog)
  })
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true
      alive.delete(child)
      resolve()
    }
    child.once('close', end)
    child.once('error', (why) => {
      log += why.message
      end()
    })
  })
  const line = new Promise<string>((resolve) => {
    let said = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      if (said.includes('\n')) return
      said += chunk
      if (said.includes('\n')) resolve(said.slice(0, said.indexOf('\n')))
    })
  })
  return {
    pid: child.pid ?? 0,
    firstLine: Promise.race([line, ended.then(() => undefined)]),
    log: () => log,
    signal: (name) => void child.kill(name),
    get hasEnded() {
      return hasEnded
    },
    ended,
  }
}

/** Kills a process, even a frozen one, as in a crash. */
export async function killProcess(running: Running): Promise<void> {
  running.signal('SIGKILL')
  await running.ended
}
