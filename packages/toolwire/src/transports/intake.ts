import { type Invalid, readMessage, type Single } from '../jsonrpc/parse.js'
import { LinkError, type Listener } from '../peer/link.js'
import type { Revision } from '../revisions/revision.js'
import { visible } from '../tools/visible.js'
import { Warnings } from './warnings.js'

/** What comes over a pipe: messages are heard, whatever else is passed over with a warning. */
export class Intake {
  readonly #listener: Listener
  readonly #warnings: Warnings
  #batching = false

  constructor(listener: Listener) {
    this.#listener = listener
    this.#warnings = new Warnings((text) => listener.warn(text))
  }

  /** There is nothing to wait for: on a pipe the server may speak at any time. */
  settled(revision: Revision): undefined {
    this.#batching = revision.batching
  }

  take(line: Uint8Array): void {
    const objection = this.#objection(line)
    if (objection) this.#warnings.add(objection)
    else this.takeText(line)
  }

  /** What surely is meant as a message. */
  takeText(line: Uint8Array | string): void {
    const message = readMessage(line)
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
    if (first !== openBracket) return () => `The server printed a line that is no message: ${excerpt(line)}`
    return this.#batching ? undefined : () => 'The server sent an array, which the edition in use does not have; it was skipped'
  }

  #tell(message: Single): void {
    if (message.kind === 'invalid') this.#passOver(message)
    else this.#listener.hear(message)
  }

  #passOver(message: Invalid): void {
    const reason = message.error.message
    this.#warnings.add(() => `The server sent something that is no message; it was skipped. ${reason}`)
    // Nothing better will come to whoever waits for this one.
    if (message.about !== 'response' || typeof message.id !== 'number') return
    this.#listener.lost(message.id, new LinkError('garbage', `The answer is not a valid message. ${reason}`, { sent: true }))
  }
}

const space = 0x20
const openBrace = 0x7b
const openBracket = 0x5b

function firstOf(line: Uint8Array): number | undefined {
  let at = 0
  while (at < line.length && line[at]! <= space) at++
  return line[at]
}

/** Such lines are mostly log messages that went the wrong way; the words say whose. */
const excerpt = (line: Uint8Array): string => visible(new TextDecoder().decode(line.subarray(0, 80)))
