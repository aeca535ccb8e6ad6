// Runs the program in a pseudo-terminal, and types into it.
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { clean, program, type Running } from './run-program.js'

const driver = fileURLToPath(new URL('./pseudo-terminal.py', import.meta.url))
/** Programs start slowly on a busy machine. */
const patienceMs = 60_000

export const keys = { enter: '\r', down: '\u001b[B', left: '\u001b[D', up: '\u001b[A', interrupt: '\u0003', space: ' ' } as const

export type Screen = {
  /** All output so far, without colors. */
  readonly text: string
  /** The same output byte by byte. */
  readonly raw: string
  /** Resolves when this appears after the previous match. */
  shows(what: string | RegExp): Promise<string>
  type(text: string): void
  readonly ended: Promise<number | null>
  kill(): void
}

export function inTerminal(words: readonly string[], { env = clean(tmpdir()), cwd = tmpdir() }: Running = {}): Screen {
  const child = spawn('python3', ['-I', '-S', driver, process.execPath, program, ...words], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // The program in the terminal ends with the helper process.
  onTestFinished(() => void child.kill())
  let text = ''
  let raw = ''
  let from = 0
  let look = () => {}
  child.stdout.on('data', (piece) => {
    raw += piece
    text = stripVTControlCharacters(raw)
    look()
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    get text() {
      return text
    },
    get raw() {
      return raw
    },
    shows: (what) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`${what} was not shown, but: ${text.slice(from)}`))
        const timer = setTimeout(fail, patienceMs)
        void ended.then(fail)
        look = () => {
          const rest = text.slice(from)
          const found = typeof what === 'string' ? rest.indexOf(what) : rest.search(what)
          if (found === -1) return
          clearTimeout(timer)
          look = () => {}
          from += found + 1
          resolve(rest)
        }
        look()
      }),
    type: (typed) => void child.stdin.write(typed),
    ended,
    kill: () => void child.kill(),
  }
}
