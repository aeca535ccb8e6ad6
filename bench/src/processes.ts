// Servers as processes, and their CPU time and memory.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Served {
  readonly pid: number
  readonly port: number
}

const alive = new Set<ChildProcess>()

// No server outlives the run.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

export function startStdio(script: string, env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [pathOf(script), 'stdio'], { env: { ...process.env, ...env } })
  return tracked(child)
}

/** Starts `node script http 0` and waits for the port it prints. */
export async function startHttp(script: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = spawn(process.execPath, [pathOf(script), 'http', '0'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await readyPort(tracked(child), script)
  return { pid: pidOf(child), port }
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the server did not start')
  return child.pid
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** CPU time of all threads of a process so far, in microseconds. */
export function cpuMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + threadNanos(`/proc/${pid}/task/${thread}`), 0) / 1000
}

export const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** CPU time of a process and all of its descendants, in microseconds. */
export function cpuMicrosOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child && existsSync(`/proc/${child}`))
  return children.reduce((sum, child) => sum + cpuMicrosOfAll(Number(child)), cpuMicros(pid))
}

export function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

// schedstat counts nanoseconds; stat counts ticks of 10 ms.
function threadNanos(task: string): number {
  return Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0])
}

export function tracked<T extends ChildProcess>(child: T): T {
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  return child
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url))
}

function readyPort(child: ChildProcess, script: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const said = firstWords(child)
    child.stderr?.on('data', () => {
      const port = /READY (\d+)/.exec(said())?.[1]
      if (port) resolve(Number(port))
    })
    child.once('close', () => reject(new Error(`${script} ended before it was ready: ${reasonIn(said())}`)))
  })
}

/** Collects the beginning of a process's stderr. */
export function firstWords(child: ChildProcess): () => string {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 10_000) said += chunk
  })
  return () => said
}

/** The line with an error, such as a package that is not installed. */
export function reasonIn(said: string): string {
  return /^.*\bError\b.*$/m.exec(said)?.[0] ?? said.trim().slice(0, 300)
}
