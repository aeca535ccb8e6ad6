// Runs a command in this process, because a process of its own costs more than most commands.
import { AsyncLocalStorage } from 'node:async_hooks'
import { tmpdir } from 'node:os'
import { runWords } from '../../src/cli/main.js'
import { clean, type Ended, type Running } from './run-program.js'

type Written = { stdout: string; stderr: string }

const written = new AsyncLocalStorage<Written>()

/** Separates the output of commands that run at the same time. */
function divert(name: 'stdout' | 'stderr'): void {
  const stream = process[name]
  const write = stream.write.bind(stream)
  stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const to = written.getStore()
    if (!to) return write(chunk, ...rest)
    to[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
}
divert('stdout')
divert('stderr')

/** The command has no stdin and no terminal. Tests that need either use the program. */
export function commandHere(words: readonly string[], { env = clean(tmpdir()), cwd = tmpdir() }: Running = {}): Promise<Ended> {
  const output: Written = { stdout: '', stderr: '' }
  const { signal } = new AbortController()
  return written.run(output, async () => ({ code: await runWords(words, { env, cwd, signal }), ...output }))
}
