// A command without a process of its own, which costs more than most commands do.
import { AsyncLocalStorage } from 'node:async_hooks'
import { tmpdir } from 'node:os'
import { runWords } from '../../src/cli/main.js'
import { clean, type Ended, type Running } from './run-program.js'

type Written = { stdout: string; stderr: string }

const written = new AsyncLocalStorage<Written>()

/** What a command writes is its own, even if another one runs meanwhile. */
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

/** Nothing can be typed or piped into it, and nobody sits there: what needs a terminal or an end of its own is for the program. */
export function commandHere(words: readonly string[], { env = clean(tmpdir()), cwd = tmpdir() }: Running = {}): Promise<Ended> {
  const said: Written = { stdout: '', stderr: '' }
  const { signal } = new AbortController()
  return written.run(said, async () => ({ code: await runWords(words, { env, cwd, signal }), ...said }))
}
