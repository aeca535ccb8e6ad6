import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { type Link, LinkError, type Listener, type Outgoing } from '../../peer/link.js'
import type { Revision } from '../../revisions/revision.js'
import { LineLink } from '../line-link.js'
import { endChild, endOrphans, exitOf } from './ending.js'
import { type Group, groupOf } from './group.js'
import { StderrTail } from './stderr-tail.js'
import { guard } from './watchdog.js'

/** How long after the first sign of its end the child's last answers, its exit code and its last words are waited for. */
const lastWordsMs = 50

export type ChildLinkOptions = {
  readonly name: string
  readonly limit: number | undefined
  readonly graceMs: number
  readonly onStderr: (text: string) => void
}

/** The link to a child that has been started: lines over its stdin and stdout, and its end in good order. */
export class ChildLink implements Link {
  readonly shape = 'pipe'
  readonly #child: ChildProcessWithoutNullStreams
  readonly #listener: Listener
  readonly #options: ChildLinkOptions
  readonly #lines: LineLink
  readonly #tail: StderrTail
  readonly #exited: Promise<void>
  readonly #group: Group
  readonly #release: () => void
  #lastWords: NodeJS.Timeout | undefined
  #isOver = false
  #gone: Promise<void> | undefined

  constructor(child: ChildProcessWithoutNullStreams, pid: number, listener: Listener, options: ChildLinkOptions) {
    this.#child = child
    this.#listener = listener
    this.#options = options
    this.#group = groupOf(pid)
    this.#release = guard(pid, (text) => listener.warn(text))
    this.#exited = exitOf(child)
    this.#tail = new StderrTail(child.stderr, options.onStderr)
    this.#lines = new LineLink({ readable: child.stdout, writable: child.stdin }, this.#lineListener(), { limit: options.limit })
    child.once('exit', this.#isEnding).once('close', this.#ended)
  }

  send(message: Outgoing): void {
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

  #lineListener(): Listener {
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

  #obituary(): LinkError {
    const { exitCode, signalCode } = this.#child
    const end = signalCode
      ? `was ended by ${signalCode}`
      : exitCode === null
        ? 'closed its output'
        : `exited with code ${exitCode}`
    const words = this.printed === '' ? '' : `. ${this.printed}`
    return new LinkError('exited', `The server ${this.#options.name} ${end}${words}`, { sent: true })
  }
}
