// Raw lines to and from a program.
import type { ChildProcess } from 'node:child_process'
import type { JsonObject } from 'toolwire'
import { spawnServer } from 'toolwire/node'
import type { CheckTarget } from '../check-options.js'

import {
  Connection,
  maxTextLength,
  type Received,
  type RequestBody,
  type SendOptions,
  truncated,
  UnreachableError,
} from './connection.js'
import { parseMessages } from './parse-messages.js'

type Listener = (line: string, messages: readonly JsonObject[]) => void
const graceMs = 500

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
    throw new UnreachableError(`${command} cannot be started: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

export class StdioConnection extends Connection {
  readonly kind = 'stdio'
  readonly #child: ChildProcess
  readonly #listeners = new Set<Listener>()
  readonly #gone: Promise<void>
  #rest = ''
  #length = 0

  constructor(child: ChildProcess) {
    super()
    this.#child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    child.stderr?.resume()
    child.stdin?.on('error', () => this.#end()) // pending requests fail when the child closes its end
    this.#gone = new Promise((resolve) => {
      child.once('exit', () => {
        this.#end()
        resolve()
      })
    })
  }

  send(body: RequestBody, { ms, until }: SendOptions): Promise<Received> {
    return new Promise((resolve) => {
      const messages: JsonObject[] = []
      let text = ''
      const finish = (end: Received['end']) => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        resolve({ messages, text: truncated(text), headers: {}, end })
      }
      const timer = setTimeout(() => finish('too late'), ms)
      const listener: Listener = (line, found) => {
        if (!this.alive) return finish('closed')
        text = truncated(`${text}${text && '\n'}${line}`)
        messages.push(...found)
        if (found.some(until)) finish('found')
      }
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

  #take(text: string): void {
    this.#length += text.length
    if (this.#length > maxTextLength) this.#kill()
    const lines = `${this.#rest}${text}`.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    const found = parseMessages(line)
    if (!found && line.trim() !== '') this.strays.push(truncated(line))
    for (const message of found ?? []) this.note(message)
    for (const listener of [...this.#listeners]) listener(line, found ?? [])
  }

  #end(): void {
    if (!this.alive) return
    this.alive = false
    for (const listener of [...this.#listeners]) listener('', [])
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
