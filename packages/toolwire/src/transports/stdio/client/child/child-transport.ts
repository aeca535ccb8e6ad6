import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import {
  type ClientTransport,
  type OutgoingMessage,
  TransportError,
  type TransportListener,
} from '../../../../peer/client-transport.js'
import type { Revision } from '../../../../revisions/revision.js'
import { LineTransport } from '../line-transport.js'
import { endChild, endOrphans, exitOf } from './end-child.js'
import { type ProcessGroup, processGroupOf } from './process-group.js'
import { StderrTail } from './stderr-tail.js'
import { watchProcessGroup } from './watchdog.js'

/** How long after the first sign of its end the child's last answers, its exit code and its last words are waited for. */
const lastWordsMs = 50

type ChildTransportOptions = {
  readonly name: string
  readonly limit: number | undefined
  readonly graceMs: number
  readonly onStderr: (text: string) => void
}

/** The link to a child that has been started: lines over its stdin and stdout, and its end in good order. */
export class ChildTransport implements ClientTransport {
  readonly shape = 'pipe'
  readonly #child: ChildProcessWithoutNullStreams
  readonly #listener: TransportListener
  readonly #options: ChildTransportOptions
  readonly #lines: LineTransport
  readonly #tail: StderrTail
  readonly #exited: Promise<void>
  readonly #group: ProcessGroup
  readonly #release: () => void
  #lastWords: NodeJS.Timeout | undefined
  #isOver = false
  #gone: Promise<void> | undefined

  constructor(child: ChildProcessWithoutNullStreams, pid: number, listener: TransportListener, options: ChildTransportOptions) {
    this.#child = child
    this.#listener = listener
    this.#options = options
    this.#group = processGroupOf(pid)
    this.#release = watchProcessGroup(pid, (text) => listener.warn(text))
    this.#exited = exitOf(child)
    this.#tail = new StderrTail(child.stderr, options.onStderr)
    this.#lines = new LineTransport({ readable: child.stdout, writable: child.stdin }, this.#lineListener(), {
      limit: options.limit,
    })
    child.once('exit', this.#isEnding).once('close', this.#ended)
  }

  send(message: OutgoingMessage): void {
    this.#lines.send(message)
  }

  drop(): void {}

  settled(revision: Revision): undefined {
    return this.#lines.settled(revision)
  }

  get printed(): string {
    const tail = String(this.#tail)
    return [this.#lines.printed, tail && `The end of its stderr:\n${tail}`].filter((part) => part !== '').join('\n')
  }

  close(): Promise<void> {
    this.#lines.hush()
    return this.#end()
  }

  #lineListener(): TransportListener {
    const listener = this.#listener
    return {
      hear: (message) => listener.hear(message),
      lost: (id, why) => listener.lost(id, why),
      warn: (text) => listener.warn(text),
      ended: this.#isEnding,
    }
  }

  /** Each end comes with several signs, in any order; a child of the child may hold the pipes, and then some never come. */
  readonly #isEnding = (): void => {
    if (!this.#isOver) this.#lastWords ??= setTimeout(this.#ended, lastWordsMs)
  }

  readonly #ended = (): void => {
    if (this.#isOver) return
    const why = this.#obituary()
    void this.#end()
    this.#listener.ended(why)
  }

  #end(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#lastWords)
    this.#gone ??= this.#endAll()
    return this.#gone
  }

  async #endAll(): Promise<void> {
    this.#lines.finish()
    await endChild(this.#exited, this.#group, this.#options.graceMs)
    await endOrphans(this.#group)
    this.#release()
    // Someone who has left the group may still hold them.
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  #obituary(): TransportError {
    const { exitCode, signalCode } = this.#child
    const end = signalCode
      ? `was ended by ${signalCode}`
      : exitCode === null
        ? 'closed its output'
        : `exited with code ${exitCode}`
    const words = this.printed === '' ? '' : `. ${this.printed}`
    return new TransportError('exited', `The server ${this.#options.name} ${end}${words}`, { sent: true })
  }
}
