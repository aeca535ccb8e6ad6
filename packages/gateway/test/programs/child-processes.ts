// Starts programs that tests can kill, or keep from writing.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { built, builtWorker } from '../support/build-program.js'

export type Child = {
  readonly process: ChildProcess
  /** All lines of output so far. */
  readonly lines: string[]
  untilLine(pattern: RegExp): Promise<string>
  /** Settles when the process has ended. */
  readonly ended: Promise<void>
}

/** Starts a program of this folder. `before` is a shell command that runs first. */
export async function start(program: string, directory: string, before = ''): Promise<Child> {
  const [file, worker] = await Promise.all([built(new URL(program, import.meta.url)), builtWorker()])
  const command = `${before} exec "$0" "$@"`
  const process_ = spawn('sh', ['-c', command, process.execPath, fileURLToPath(file), directory, worker.href], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => process_.once('close', () => resolve()))
  onTestFinished(() => void process_.kill('SIGKILL'))
  const lines: string[] = []
  const listeners = new Set<() => void>()
  for (const stream of [process_.stdout, process_.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      for (const listener of listeners) listener()
    })
  }
  async function untilLine(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = lines.find((one) => pattern.test(one))
      if (line !== undefined) return line
      const more = new Promise<true>((resolve) => listeners.add(() => resolve(true)))
      if (!(await Promise.race([more, ended])))
        throw new Error(`The process ended without the output ${pattern}:\n${lines.join('\n')}`)
      listeners.clear()
    }
  }
  return { process: process_, lines, untilLine, ended }
}
