// Test clients that send a message and collect the responses.
import { connect } from 'node:net'
import type { ClientEnd } from '../../src/transports/memory/memory-pair.js'
import { initialize, initialized, modern, selfDescribing } from './fixture.js'

export type Received = {
  [member: string]: unknown
  id?: unknown
  method?: string
  result?: { [member: string]: unknown }
  error?: { code: number; message: string }
}

export interface Peer {
  /** Sends a raw message, and returns all messages until the response to `id`, if one is expected. */
  say(message: string | Uint8Array, waitFor: 'response' | 'nothing', about?: object): Promise<Received[]>
  close(): void | Promise<void>
}

/** A client of one revision over any peer. */
export class Client {
  readonly version: string
  readonly peer: Peer

  constructor(peer: Peer, version: string) {
    this.peer = peer
    this.version = version
  }

  static async open(peer: Peer, version: string, capabilities: object = {}): Promise<Client> {
    const client = new Client(peer, version)
    if (version === modern) return client
    const [answer] = await client.raw(initialize(version, capabilities))
    if (!answer?.result) throw new Error(`Not opened: ${JSON.stringify(answer)}`)
    await client.notify(initialized)
    return client
  }

  /** All messages up to the response of the request, which is last. */
  request(message: { id?: unknown; params?: object }): Promise<Received[]> {
    return this.raw(this.version === modern ? selfDescribing(message) : message)
  }

  raw(message: object): Promise<Received[]> {
    return this.peer.say(encode(message), 'response', message)
  }

  notify(message: object): Promise<Received[]> {
    const said = this.version === modern ? selfDescribing(message as { params?: object }) : message
    return this.peer.say(encode(said), 'nothing', said)
  }
}

/** JSON with bigints as integers. */
export const encode = (message: object): string =>
  JSON.stringify(message, (_key, value: unknown) => (typeof value === 'bigint' ? `<<${value}>>` : value)).replace(
    /"<<(-?\d+)>>"/g,
    '$1',
  )

/** A peer over any channel for whole messages in both directions. */
export class ChannelPeer implements Peer {
  readonly #send: (message: string | Uint8Array) => void
  readonly #close: () => void
  #received: Received[] = []
  #wake: (() => void) | undefined

  constructor(parts: { send: (message: string | Uint8Array) => void; close: () => void }) {
    this.#send = parts.send
    this.#close = parts.close
  }

  readonly hear = (message: string): void => {
    this.#received.push(...([JSON.parse(message)].flat() as Received[]))
    this.#wake?.()
  }

  async say(message: string | Uint8Array, waitFor: 'response' | 'nothing'): Promise<Received[]> {
    this.#send(message)
    if (waitFor === 'nothing') return []
    while (!this.#received.some((one) => one.method === undefined)) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#received.splice(0)
  }

  close(): void {
    this.#close()
  }
}

export function memoryPeer(end: ClientEnd): Peer {
  const peer = new ChannelPeer({ send: (message) => end.send(message), close: () => end.close() })
  end.onMessage(peer.hear)
  return peer
}

type Duplexes = { readable: NodeJS.ReadableStream; writable: { write(chunk: string | Uint8Array): unknown }; close: () => void }

/** A peer over byte streams with one message per line. */
export function linePeer({ readable, writable, close }: Duplexes): Peer {
  const peer = new ChannelPeer({
    send: (message) => writable.write(Buffer.concat([Buffer.from(message as string), Buffer.from('\n')])),
    close,
  })
  let rest = ''
  readable.setEncoding('utf8')
  readable.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) peer.hear(line)
  })
  return peer
}

export function socketPeer(path: string): Peer {
  const socket = connect(path)
  return linePeer({ readable: socket, writable: socket, close: () => socket.destroy() })
}

export type Send = (request: Request) => Promise<Response>

/** A peer over Streamable HTTP of any revision, optionally with a session. */
export class HttpPeer implements Peer {
  readonly url: string
  readonly #send: Send
  readonly headers: Record<string, string>
  /** A garbage-collected request ignores its signal. https://github.com/nodejs/undici/issues/4068 */
  readonly #kept: Request[] = []
  session: string | undefined
  status = 0
  type: string | null = null

  constructor(url: string, send: Send = fetch, headers: Record<string, string> = {}) {
    this.url = url
    this.#send = send
    this.headers = headers
  }

  async post(body: string | Uint8Array, about: object = {}, more: Record<string, string> = {}): Promise<Response> {
    const headers = { ...mirrored(about), ...this.#sessionHeaders(), ...this.headers, ...more }
    const request = new Request(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: both, ...headers },
      body: body as BodyInit,
    })
    const response = await this.#send(request)
    this.session ??= response.headers.get('mcp-session-id') ?? undefined
    return response
  }

  request(method: string, more: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
    const request = new Request(this.url, { method, headers: { ...this.#sessionHeaders(), ...this.headers, ...more }, ...init })
    this.#kept.push(request)
    return this.#send(request)
  }

  async say(message: string | Uint8Array, _waitFor: 'response' | 'nothing', about: object = {}): Promise<Received[]> {
    const response = await this.post(message, about)
    this.status = response.status
    this.type = response.headers.get('content-type')
    return messagesIn(this.type, await response.text())
  }

  close(): void {}

  #sessionHeaders(): Record<string, string> {
    return this.session === undefined ? {} : { 'mcp-session-id': this.session }
  }
}

export const both = 'application/json, text/event-stream'

export function messagesIn(type: string | null, text: string): Received[] {
  if (text === '') return []
  if (type === 'application/json') return [JSON.parse(text)].flat() as Received[]
  return eventsIn(text).flatMap(({ data }) => (data ? ([JSON.parse(data)].flat() as Received[]) : []))
}

export type Event = { id?: string; event?: string; data?: string; retry?: string }

export const eventsIn = (text: string): Event[] =>
  text.split('\n\n').flatMap((block) => {
    const fields = block.split('\n').filter((line) => line && !line.startsWith(':'))
    return fields.length === 0
      ? []
      : [Object.fromEntries(fields.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])) as Event]
  })

/** The headers that the latest revision requires for a message. */
export function mirrored(message: {
  method?: string
  params?: { name?: string; uri?: string; _meta?: object }
}): Record<string, string> {
  const version = (message.params?._meta as Record<string, string> | undefined)?.['io.modelcontextprotocol/protocolVersion']
  if (version === undefined || message.method === undefined) return {}
  const name = message.params?.name ?? message.params?.uri
  return { 'mcp-protocol-version': version, 'mcp-method': message.method, ...(name !== undefined && { 'mcp-name': name }) }
}

/** A peer over the two endpoints of 2024-11-05. */
export async function twoEndpointPeer(origin: string): Promise<Peer> {
  const closing = new AbortController()
  const stream = await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream' }, signal: closing.signal })
  const reader = (stream.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const nextEvent = async (): Promise<Event | undefined> => {
    while (!rest.includes('\n\n')) {
      const { done, value } = await reader.read()
      if (done) return undefined
      rest += value
    }
    const end = rest.indexOf('\n\n') + 2
    const [event] = eventsIn(rest.slice(0, end))
    rest = rest.slice(end)
    return event ?? nextEvent()
  }
  const first = await nextEvent()
  if (first?.event !== 'endpoint') throw new Error(`The first event is ${JSON.stringify(first)}`)
  const peer = new TwoEndpointPeer(new URL(first.data ?? '', `${origin}/sse`), () => closing.abort())
  void (async () => {
    for (let event = await nextEvent(); event; event = await nextEvent())
      if (event.event === 'message') peer.channel.hear(event.data ?? '')
  })().catch(() => {}) // the test has closed it
  return peer
}

class TwoEndpointPeer implements Peer {
  readonly channel: ChannelPeer
  readonly #url: URL

  constructor(url: URL, close: () => void) {
    this.#url = url
    this.channel = new ChannelPeer({ send: () => {}, close })
  }

  async say(message: string | Uint8Array, waitFor: 'response' | 'nothing'): Promise<Received[]> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: message as BodyInit,
    })
    if (response.status !== 202) return messagesIn('application/json', await response.text())
    return this.channel.say('', waitFor)
  }

  close(): void {
    this.channel.close()
  }
}
