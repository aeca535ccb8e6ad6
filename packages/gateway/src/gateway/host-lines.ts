// What a host says and hears, on its way to a gateway that may be another one after a while. There the handshake of an older edition is
// made once more, without the host; and what was under way is answered, because nobody else will.
import type { Duplex, Readable, Writable } from 'node:stream'
import { linesOf } from './lines-of.js'

type Message = { readonly id?: unknown; readonly method?: unknown }

export class HostLines {
  /** Resolves when the host has said its last word. */
  readonly ended: Promise<void>
  readonly #writable: Writable
  /** Requests of the host that have no answer yet. */
  readonly #waiting = new Set<string>()
  #handshake: readonly string[] = []
  /** An answer that the host has had already. */
  #known: string | undefined
  #held: string[] = []
  #lane: Duplex | undefined

  constructor({ readable, writable }: { readonly readable: Readable; readonly writable: Writable }) {
    this.#writable = writable
    this.ended = linesOf(readable, (line) => this.#toGateway(line)).then(() => {
      this.#lane?.end()
    })
    writable.once('error', () => readable.destroy())
  }

  /** Goes this way until it ends, from either side. */
  async through(lane: Duplex): Promise<void> {
    const again = this.#handshake.filter((line) => !this.#held.includes(line))
    const hello = again.flatMap(read).find(({ method }) => method === 'initialize')
    if (hello) this.#known = keyOf(hello)
    for (const line of [...again, ...this.#held]) lane.write(`${line}\n`)
    this.#held = []
    this.#lane = lane
    lane.once('error', () => lane.destroy())
    void this.ended.then(() => lane.end())
    await linesOf(lane, (line) => this.#toHost(line))
    this.#lane = undefined
    this.#lost()
  }

  #toGateway(line: string): void {
    for (const message of read(line)) {
      const { method } = message
      if (method === 'initialize') this.#handshake = []
      if (method === 'initialize' || method === 'notifications/initialized') this.#handshake = [...this.#handshake, line]
      if (method !== undefined && message.id !== undefined) this.#waiting.add(keyOf(message))
    }
    if (this.#lane) this.#lane.write(`${line}\n`)
    else this.#held.push(line)
  }

  #toHost(line: string): void {
    for (const message of read(line)) {
      if (message.method !== undefined || message.id === undefined) continue
      const key = keyOf(message)
      const wasKnown = key === this.#known && !this.#waiting.has(key)
      if (key === this.#known) this.#known = undefined
      if (wasKnown) return
      this.#waiting.delete(key)
    }
    const lane = this.#lane
    if (this.#writable.write(`${line}\n`)) return
    lane?.pause()
    this.#writable.once('drain', () => lane?.resume())
  }

  /** What is held has not been sent, and is still to be answered. */
  #lost(): void {
    const held = new Set(this.#held.flatMap(read).map(keyOf))
    // A handshake that has not been answered is for the host to make again.
    const [hello] = this.#handshake
    if (hello !== undefined && this.#waiting.has(keyOf(read(hello)[0]))) this.#handshake = []
    for (const key of this.#waiting) {
      if (held.has(key)) continue
      this.#waiting.delete(key)
      this.#writable.write(`{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify(lostError)}}\n`)
    }
  }
}

/** spec 2025-11-25, basic/index#error-responses */
const internalError = -32603
const lostError = {
  code: internalError,
  message: 'outcome_unknown: the gateway has ended, and whether this was done cannot be known; it was not tried again',
}

const keyOf = ({ id }: Message = {}): string => JSON.stringify(id ?? null)

/** Whatever is no message goes on as it is: to say so is for the gateway. */
function read(line: string): Message[] {
  try {
    const value: unknown = JSON.parse(line)
    return [value].flat().filter((one): one is Message => typeof one === 'object' && one !== null)
  } catch {
    return []
  }
}
