// Carries the messages of a host to a gateway, which another one may replace. The new gateway receives the host's lasting requests again,
// without the host's involvement. Requests in progress get an error, because no gateway will respond to them.
import type { Duplex, Readable, Writable } from 'node:stream'
import { type HostMessage, isRequest, isResponse, keyOf, mapLine, paramsOf } from './message.js'
import { QuestionIds } from './question-ids.js'
import { ReplayedState } from './replayed-state.js'

export class HostSession {
  /** Resolves when the host has closed its input. */
  readonly ended: Promise<void>
  readonly #writable: Writable
  /** Requests of the host that a gateway has received and not responded to. */
  readonly #waiting = new Map<string, HostMessage>()
  readonly #lasting = new ReplayedState()
  readonly #questions = new QuestionIds()
  #held: Buffer[] = []
  #connection: Duplex | undefined

  constructor({ readable, writable }: { readonly readable: Readable; readonly writable: Writable }) {
    this.#writable = writable
    this.ended = readLines(readable, (line) => this.#toGateway(line)).then(() => {
      this.#connection?.end()
    })
    writable.once('error', () => readable.destroy())
  }

  /** Exchanges messages over this connection until either side ends it. */
  async serveThrough(lane: Duplex): Promise<void> {
    this.#connection = lane
    lane.once('error', () => lane.destroy())
    this.#sendToGateway(this.#lasting.replay())
    for (const line of this.#held.splice(0)) this.#toGateway(line)
    void this.ended.then(() => lane.end())
    await readLines(lane, (line) => this.#toHost(line))
    this.#connection = undefined
    this.#failPending()
  }

  #sendToGateway(messages: readonly HostMessage[]): void {
    for (const message of messages) this.#connection?.write(`${JSON.stringify(message)}\n`)
  }

  #toGateway(line: Buffer): void {
    if (!this.#connection) return void this.#held.push(line)
    const said = mapLine(line, (message) => {
      this.#lasting.noteSent(message)
      if (isRequest(message) && !this.#lasting.isListening(message)) this.#waiting.set(keyOf(message), message)
      // Nothing answers a request that its host has cancelled.
      if (message.method === 'notifications/cancelled') this.#waiting.delete(keyOf({ id: paramsOf(message).requestId }))
      return this.#questions.toGateway(message)
    })
    if (said !== undefined) this.#connection.write(said)
  }

  #toHost(line: Buffer): void {
    const heard = mapLine(line, (message) => {
      this.#sendToGateway(this.#lasting.retries(message))
      if (this.#lasting.isKeptFromHost(message)) return undefined
      if (isResponse(message)) this.#answered(message)
      return this.#questions.toHost(message)
    })
    const lane = this.#connection
    if (heard === undefined || this.#writable.write(heard)) return
    lane?.pause()
    this.#writable.once('drain', () => lane?.resume())
  }

  #answered(answer: HostMessage): void {
    const request = this.#waiting.get(keyOf(answer))
    this.#waiting.delete(keyOf(answer))
    if (request && answer.error === undefined) this.#lasting.noteGranted(request)
  }

  /** Responds to the requests that the lost gateway had received. Held messages were not sent yet, so they stay. */
  #failPending(): void {
    for (const message of this.#questions.abandon()) this.#writable.write(`${JSON.stringify(message)}\n`)
    for (const key of this.#waiting.keys())
      this.#writable.write(`{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify(lostError)}}\n`)
    this.#waiting.clear()
  }
}

/** spec 2025-11-25, basic/index#error-responses */
const internalError = -32603
const lostError = {
  code: internalError,
  message:
    'outcome_unknown: the gateway ended, so the request may or may not have been carried out. The request was not repeated',
}

/** Calls back with the bytes of each line and its line end. Resolves at the end of the stream. */
export function readLines(readable: Readable, take: (line: Buffer) => void): Promise<void> {
  let rest: Buffer[] = []
  readable.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const last = chunk.subarray(from, end + 1)
      const line = rest.length === 0 ? last : Buffer.concat([...rest, last])
      rest = []
      from = end + 1
      take(line)
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  })
  // Reading the first line has paused the stream.
  readable.resume()
  return new Promise((resolve) => {
    readable
      .once('end', resolve)
      .once('error', () => resolve())
      .once('close', resolve)
  })
}
