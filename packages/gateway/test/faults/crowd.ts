// Simulates many callers from a process of their own.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

type Ask =
  | { readonly what: 'hang up'; readonly calls: number; readonly atOnce: number; readonly name: string }
  | { readonly what: 'come' | 'come back'; readonly callers: number; readonly name: string }
  | { readonly what: 'send much'; readonly callers: number; readonly name: string; readonly bytes: number }
type Answer = {
  readonly served: number
  readonly answered: number
  readonly refused: number
  readonly others: readonly string[]
  readonly ms: number
}

export class Crowd {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  static async start(url: string): Promise<Crowd> {
    return new Crowd(fork(fileURLToPath(new URL('./peers/crowd.mjs', import.meta.url)), [url]))
  }

  asks(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#process.once('message', (answer) => resolve(answer as Answer)) // the program sends nothing else
      this.#process.once('exit', (code) => reject(new Error(`The crowd has ended with ${code}`)))
      this.#process.send(ask)
    })
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.kill('SIGKILL')) await ended
  }
}
