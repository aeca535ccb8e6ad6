// One conversation: sends the messages of the client, and waits for the messages of the server.
import type { Json, JsonObject, Server } from 'toolwire'
import type { Frame } from '../../src/testing/wire.js'
import { memoryPair } from '../../src/transports/memory/memory-pair.js'
import { filledIn } from './script.js'

const clientInfo = { name: 'conversation', version: '1.0.0' }

const capabilities: Readonly<Record<string, JsonObject>> = {
  '2024-11-05': { roots: {}, sampling: {} },
  '2025-03-26': { roots: {}, sampling: {} },
  '2025-06-18': { roots: {}, sampling: {}, elicitation: {} },
  '2025-11-25': { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
  '2026-07-28': { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
}

export class Conversation {
  readonly received: Json[] = []
  readonly frames: Frame[] = []
  readonly #client: ReturnType<typeof memoryPair>
  readonly #revision: string
  #wake: (() => void) | undefined

  constructor(app: Server, revision: string) {
    this.#revision = revision
    this.#client = memoryPair(app['~application'])
    this.#client.onMessage((text) => this.#hear(JSON.parse(text)))
  }

  get #describesItself(): boolean {
    return this.#revision === '2026-07-28'
  }

  /** Performs the handshake, if the revision has one. */
  async open(): Promise<void> {
    if (this.#describesItself) return
    const params = { protocolVersion: this.#revision, capabilities: capabilities[this.#revision] as JsonObject, clientInfo }
    this.send({ id: 0, method: 'initialize', params })
    await this.waitForMessages(1)
    this.send({ method: 'notifications/initialized' })
    this.received.length = 0
  }

  /** Sends the message with its implicit members. */
  send(message: Json): void {
    const filled = filledIn(message, this.received)
    const whole = Array.isArray(filled) ? filled.map((one) => this.#whole(one as JsonObject)) : this.#whole(filled as JsonObject)
    this.sendRaw(JSON.stringify(whole))
  }

  sendRaw(text: string): void {
    this.#keep('client', readable(text))
    this.#client.send(text)
  }

  /** Waits until the given number of messages has arrived, or a timeout. */
  async waitForMessages(count: number, ms = 10_000): Promise<void> {
    const end = Date.now() + ms
    while (this.received.length < count && Date.now() < end) await this.#more(end - Date.now())
  }

  /** Waits until no message has arrived for a while. */
  async waitUntilQuiet(ms: number): Promise<void> {
    for (let before = -1; before !== this.received.length; ) {
      before = this.received.length
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  close(): void {
    this.#client.close()
  }

  #whole(message: JsonObject): JsonObject {
    const whole = { jsonrpc: '2.0', ...message }
    if (!this.#describesItself || message.id === undefined || message.method === undefined) return whole
    const params = (message.params ?? {}) as JsonObject
    const implied = {
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities[this.#revision] as JsonObject,
    }
    return { ...whole, params: { ...params, _meta: { ...implied, ...(params._meta as JsonObject | undefined) } } }
  }

  #hear(message: Json): void {
    this.received.push(message)
    this.#keep('server', message)
    this.#wake?.()
  }

  #keep(from: Frame['from'], message: Json | undefined): void {
    for (const one of [message].flat()) if (one !== undefined) this.frames.push({ from, message: one as JsonObject })
  }

  #more(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Returns undefined if the text is deliberately not a message. */
function readable(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the schema needs no check
  }
}
