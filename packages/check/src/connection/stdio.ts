// Raw lines to and from a program.
import type { ChildProcess } from 'node:child_process'
import type { JsonObject } from 'toolwire'
import { spawnServer } from 'toolwire/node'
import type { CheckTarget } from '../check-options.js'

import {
  Connection,
  maxReplyLength,
  type Received,
  type RequestBody,
  type SendOptions,
  tooLong,
  truncated,
  UnreachableError,
} from './connection.js'
import { parseMessages } from './parse-messages.js'

type Listener = {
  readonly hear: (line: string, messages: readonly JsonObject[]) => void
  readonly hold: NonNullable<SendOptions['hold']>
}
const graceMs = 500
/** Time to read what a program has printed before it ended. */
const drainMs = 200
const keptText = 4_000
const shownText = 300

/** Starts the program; throws an `UnreachableError` if that fails. */
export async function startStdio({
  command,
  args = [],
  env = {},
  cwd,
}: Exclude<CheckTarget, { url: string }>): Promise<StdioConnection> {
  try {
    const child = spawnServer({ command, args, env, inherit: Object.keys(process.env), ...(cwd !== undefined && { cwd }) })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return new StdioConnection(child)
  } catch (cause) {
    throw new UnreachableError(`${command} cannot be started: ${startFailure(cause)}`)
  }
}

function startFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const isMissing = 'code' in cause && cause.code === 'ENOENT'
  return isMissing ? 'it was not found. Install it, check the folder, or write its full path' : cause.message
}

export class StdioConnection extends Connection {
  readonly kind = 'stdio'
  readonly #child: ChildProcess
  readonly #listeners = new Set<Listener>()
  readonly #gone: Promise<void>
  #rest = ''
  #stderr = ''
  /** Lines on stdout that are no messages. */
  #stray = ''
  #why: string | undefined

  constructor(child: ChildProcess) {
    super()
    this.#child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-keptText)
    })
    // Pending requests fail when the child closes its end; why it ended comes a little later.
    child.stdin?.on('error', () => setTimeout(() => this.#end(), drainMs))
    this.#gone = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#why ??= `the program ended ${signal ? `by ${signal}` : `with code ${code}`}`
        // A program that it has started may keep its output open.
        const timer = setTimeout(() => this.#end(), drainMs)
        child.once('close', () => {
          clearTimeout(timer)
          this.#end()
        })
        resolve()
      })
    })
  }

  send(body: RequestBody, { ms, until, hold = () => true }: SendOptions): Promise<Received> {
    return new Promise((resolve) => {
      const messages: JsonObject[] = []
      let text = ''
      const finish = (end: Received['end']) => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        const why = end === 'closed' ? this.#reason : undefined
        resolve({ messages, text: truncated(text), headers: {}, end, ...(why !== undefined && { why }) })
      }
      const timer = setTimeout(() => finish('too late'), ms)
      const hear: Listener['hear'] = (line, found) => {
        if (!this.alive) return finish('closed')
        text = truncated(`${text}${text && '\n'}${line}`)
        messages.push(...found)
        if (found.some(until)) finish('found')
      }
      const listener = { hear, hold }
      this.#listeners.add(listener)
      if (!this.alive) return finish('closed')
      if (body === undefined) return
      this.#child.stdin?.write(body)
      this.#child.stdin?.write('\n')
    })
  }

  async close(): Promise<void> {
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.#kill(), graceMs)
    await this.#gone
    clearTimeout(timer)
    this.#kill()
  }

  /** The end of the program, and the end of what it has printed on stderr, without stack frames; or else on stdout. */
  get #reason(): string | undefined {
    const lines = this.#stderr.split('\n').filter((line) => !/^ +at /.test(line))
    const said = onOneLine(lines.join(' ')) || onOneLine(`${this.#stray} ${this.#rest}`)
    return this.#why === undefined || said === '' ? this.#why : `${this.#why} and printed: ${said}`
  }

  #take(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > maxReplyLength) this.#endFor(tooLong)
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    // All listeners share the messages, so one counts them.
    const [first] = this.#listeners
    if (first && !first.hold(line)) {
      this.#endFor(tooLong)
      return
    }
    const found = parseMessages(line)
    if (!found && line.trim() !== '') {
      this.onStray(line)
      this.#stray = `${this.#stray} ${line}`.slice(-keptText)
    }
    for (const message of found ?? []) this.note(message)
    for (const listener of [...this.#listeners]) listener.hear(line, found ?? [])
  }

  #end(): void {
    if (!this.alive) return
    this.alive = false
    for (const listener of [...this.#listeners]) listener.hear('', [])
  }

  #endFor(why: string): void {
    this.#why ??= why
    this.#kill()
  }

  /** Kills the program and all processes that it has started. */
  #kill(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL')
      else process.kill(-pid, 'SIGKILL')
    } catch {
      this.#child.kill('SIGKILL') // the process group is gone, so the program is gone or has left the group
    }
  }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(-shownText)
