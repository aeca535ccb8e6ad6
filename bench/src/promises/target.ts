// A process under attack that measures itself.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tracked } from '../processes.js'
import type { LoopReading } from './loop-watch.js'

type Said = {
  readonly port?: number
  readonly token?: string
  readonly begun?: true
  readonly reading?: LoopReading
  readonly done?: string
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export class WatchedProcess {
  readonly port: number
  /** The credential for the management API of a gateway. */
  readonly token: string | undefined
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, { port = 0, token }: Said) {
    this.#process = process
    this.port = port
    this.token = token
  }

  static async start(program: string, env: NodeJS.ProcessEnv = {}): Promise<WatchedProcess> {
    const child = tracked(
      fork(pathOf(program), {
        execArgv: ['--expose-gc', '--import', pathOf('watched.js')],
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', process.env.PROMISES_DEBUG ? 'inherit' : 'ignore', 'ipc'],
      }),
    )
    return new WatchedProcess(child, await messageFrom(child, ({ port }) => port !== undefined))
  }

  begin(): Promise<Said> {
    const begun = messageFrom(this.#process, ({ begun }) => begun === true)
    this.#process.send('begin')
    return begun
  }

  async end(): Promise<LoopReading> {
    const ended = messageFrom(this.#process, ({ reading }) => reading !== undefined)
    this.#process.send('end')
    const { reading } = await ended
    if (!reading) throw new Error('the loop watch has not started')
    return reading
  }

  /** Lets the process perform a named action, and returns the outcome. */
  async do(what: string, url: string): Promise<string> {
    const done = messageFrom(this.#process, ({ done }) => done !== undefined)
    this.#process.send({ what, url })
    return (await done).done ?? ''
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const gone = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await gone
  }
}

function messageFrom(child: ChildProcess, wanted: (said: Said) => boolean): Promise<Said> {
  return new Promise((resolve, reject) => {
    const listen = (said: unknown) => {
      if (!wanted(said as Said)) return
      end()
      resolve(said as Said)
    }
    const gone = (code: number | null, signal: string | null) => {
      end()
      reject(new Error(`the target ended with ${code ?? signal} while it was attacked`))
    }
    const end = () => void child.off('message', listen).off('exit', gone)
    child.on('message', listen).on('exit', gone)
  })
}
