// Minimal clients for recorded conversations: JSON lines over a pipe, Streamable HTTP, or HTTP+SSE.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Program } from './program.js'

/** A message, or a batch of them. */
export type Said = Record<string, unknown> | Record<string, unknown>[]

export interface Wire extends AsyncDisposable {
  send(message: Said): Promise<void>
  /** The next message of the server. */
  next(): Promise<Said>
}

class Inbox {
  readonly #messages: Said[] = []
  #wake: (() => void) | undefined

  readonly take = (text: string): void => {
    this.#messages.push(JSON.parse(text))
    this.#wake?.()
  }

  async next(ms = 60_000): Promise<Said> {
    if (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, ms).unref()
      })
    }
    const message = this.#messages.shift()
    if (!message) throw new Error(`The server said nothing more within ${ms} ms`)
    return message
  }
}

export async function stdioWire({ command, args }: Program): Promise<Wire> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const inbox = new Inbox()
  createInterface(child.stdout).on('line', inbox.take)
  return {
    send: async (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: () => inbox.next(),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await gone
    },
  }
}

/** Streamable HTTP with a session. `version` is the header value after the handshake, if the revision has the header. */
export function httpWire(url: string, version?: string): Wire {
  const inbox = new Inbox()
  const leaving = new AbortController()
  const session: Record<string, string> = {}
  const request = (init: RequestInit) => fetch(url, { ...init, signal: leaving.signal })
  return {
    next: () => inbox.next(),
    send: async (message) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session }
      const response = await request({ method: 'POST', headers, body: JSON.stringify(message) })
      const token = response.headers.get('mcp-session-id')
      if (token !== null) Object.assign(session, { 'mcp-session-id': token }, version && { 'mcp-protocol-version': version })
      if (isInitialized(message)) read(await request({ headers: { accept: 'text/event-stream', ...session } }), inbox.take)
      read(response, inbox.take)
    },
    [Symbol.asyncDispose]: async () => leaving.abort(),
  }
}

/** The two endpoints of 2024-11-05. All responses come on the stream, which names the URL to post to. */
export async function sseWire(url: URL): Promise<Wire> {
  const inbox = new Inbox()
  const leaving = new AbortController()
  const stream = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: leaving.signal })
  const address = await new Promise<string>((resolve) => {
    read(stream, (data, event) => (event === 'endpoint' ? resolve(data) : inbox.take(data)))
  })
  return {
    next: () => inbox.next(),
    send: async (message) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(new URL(address, url), { method: 'POST', headers, body: JSON.stringify(message) })
      if (response.status !== 202) throw new Error(`The message was not taken: ${response.status} ${await response.text()}`)
    },
    [Symbol.asyncDispose]: async () => leaving.abort(),
  }
}

const isInitialized = (message: Said): boolean => 'method' in message && message.method === 'notifications/initialized'

/** Passes on the messages of a response, from JSON or from a stream. */
function read(response: Response, take: (data: string, event: string) => void): void {
  const events = response.headers.get('content-type') === 'text/event-stream'
  void (events ? readEvents(response, take) : readBody(response, take)).catch((thrown: Error) => {
    if (thrown.name !== 'AbortError') throw thrown
  })
}

async function readBody(response: Response, take: (data: string, event: string) => void): Promise<void> {
  const body = await response.text()
  if (body !== '') take(body, 'message')
}

async function readEvents({ body }: Response, take: (data: string, event: string) => void): Promise<void> {
  let text = ''
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1]
      const data = field('data')
      if (data) take(data, field('event') ?? 'message')
    }
  }
}
