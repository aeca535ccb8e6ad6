import { WarningLimiter } from '../bounds/warning-limiter.js'
import { type InvalidMessage, readMessage, type SingleMessage } from '../jsonrpc/read-message.js'
import { type TransportListener, unusableAnswer } from '../peer/client-transport.js'
import type { Revision } from '../revisions/revision.js'
import { visible } from '../text/visible.js'

/** Reads messages from a pipe; anything else is skipped with a warning. */
export class MessageIntake {
  readonly #listener: TransportListener
  readonly #warnings: WarningLimiter
  readonly #firstLines: Uint8Array[] = []
  readonly #lastLines: Uint8Array[] = []
  /** How many came after the first ones. */
  #last = 0
  #batching = false

  constructor(listener: TransportListener) {
    this.#listener = listener
    this.#warnings = new WarningLimiter((text) => listener.warn(text))
  }

  /** There is nothing to wait for: on a pipe the server may speak at any time. */
  settled(revision: Revision): undefined {
    this.#batching = revision.batching
  }

  take(line: Uint8Array): void {
    const objection = this.#objection(line)
    if (objection) {
      this.#keep(line)
      this.#warnings.add(objection)
    } else this.takeText(line)
  }

  /** The first and the last lines that were no messages. */
  get printed(): readonly string[] {
    const skipped = this.#last - keptAtEnd
    const last = Array.from(
      { length: Math.min(this.#last, keptAtEnd) },
      (_, index) => this.#lastLines[(Math.max(skipped, 0) + index) % keptAtEnd]!,
    )
    const between = skipped > 0 ? [`… ${skipped} more lines …`] : []
    return [...this.#firstLines.map(lineExcerpt), ...between, ...last.map(lineExcerpt)]
  }

  /** Copies, because lines are views; they are read only if somebody asks, because there may be floods of them. */
  #keep(line: Uint8Array): void {
    const copy = line.slice(0, longestExcerpt)
    if (this.#firstLines.length < keptAtStart) this.#firstLines.push(copy)
    else this.#lastLines[this.#last++ % keptAtEnd] = copy
  }

  /** What surely is meant as a message. */
  takeText(line: Uint8Array | string): void {
    const message = readMessage(line)
    if (message.kind === 'invalid' && typeof line !== 'string') this.#keep(line)
    if (message.kind === 'batch') for (const item of message.items) this.#tell(item)
    else this.#tell(message)
  }

  skipOversize(limit: number): void {
    this.#warnings.add(() => `The server sent a message of more than ${limit} bytes; it was skipped`)
  }

  /** Nothing more comes. */
  end(): void {
    this.#warnings.flush()
  }

  /** What can be seen without reading it all: a flood of garbage must not cost more than one of messages. */
  #objection(line: Uint8Array): (() => string) | undefined {
    const first = firstOf(line)
    if (first === openBrace) return undefined
    if (first !== openBracket) return () => `The server printed a line that is no message: ${lineExcerpt(line)}`
    return this.#batching ? undefined : () => 'The server sent an array, which the edition in use does not have; it was skipped'
  }

  #tell(message: SingleMessage): void {
    if (message.kind === 'invalid') this.#passOver(message)
    else this.#listener.hear(message)
  }

  #passOver(message: InvalidMessage): void {
    const reason = message.error.message
    this.#warnings.add(() => `The server sent something that is no message; it was skipped. ${reason}`)
    // No better answer to this request will come.
    if (message.about !== 'response' || typeof message.id !== 'number') return
    this.#listener.lost(message.id, unusableAnswer(reason))
  }
}

const keptAtStart = 3
const keptAtEnd = 3
const longestExcerpt = 80
const space = 0x20
const openBrace = 0x7b
const openBracket = 0x5b

function firstOf(line: Uint8Array): number | undefined {
  let at = 0
  while (at < line.length && line[at]! <= space) at++
  return line[at]
}

/** Such lines are mostly log messages that went the wrong way; the words say whose. */
export const lineExcerpt = (line: Uint8Array): string => visible(new TextDecoder().decode(line.subarray(0, longestExcerpt)))
