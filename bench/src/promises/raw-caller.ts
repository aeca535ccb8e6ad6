// A caller that can send anything over HTTP.
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const patienceMs = 60_000

/** Each byte of an ASCII text as a separate chunk, which no library would send. */
export const inChunksOfOne = (text: string): string => `${text.replaceAll(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`

export type RawAnswer = { readonly status: number; readonly text: string; readonly headers: NodeJS.Dict<string | string[]> }

export function http(
  port: number,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const { method = 'POST', headers, body } = options
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, headers: { ...headers }, agent }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString(), headers: response.headers }),
      )
      response.on('error', reject)
    })
    call.setTimeout(patienceMs, () => call.destroy(new Error(`no answer in ${patienceMs} ms`)))
    call.on('error', reject)
    call.end(body)
  })
}

const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A session in an older revision that can send anything. */
export class RawSession {
  readonly #port: number
  readonly #headers: Record<string, string>
  #id = 1

  private constructor(port: number, headers: Record<string, string>) {
    this.#port = port
    this.#headers = headers
  }

  static async open(port: number, revision = '2025-11-25'): Promise<RawSession> {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'stranger', version: '1' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const { headers, status, text } = await http(port, '/mcp', { headers: accept, body })
    if (status !== 200) throw new Error(`the session was not opened: HTTP ${status} ${text.slice(0, 200)}`)
    const session = new RawSession(port, {
      ...accept,
      'mcp-session-id': String(headers['mcp-session-id']),
      'mcp-protocol-version': revision,
    })
    await session.raw('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return session
  }

  async raw(body: string | Buffer): Promise<RawAnswer> {
    const began = performance.now()
    const answer = await http(this.#port, '/mcp', { headers: this.#headers, body }).catch((thrown) => ({
      status: 0,
      text: String(thrown),
      headers: {},
    }))
    const ms = performance.now() - began
    if (process.env.PROMISES_DEBUG && ms > 100)
      console.error(`  ${Math.round(ms)} ms: ${body.slice(0, 130)} … -> ${answer.text.slice(0, 100)}`)
    return answer
  }

  /** Sends the body in chunks of one byte; resolves with the answer, or when the connection closes. */
  inSmallPieces(body: string): Promise<string> {
    const headers = Object.entries({ ...this.#headers, host: `127.0.0.1:${this.#port}`, 'transfer-encoding': 'chunked' })
    const head = `POST /mcp HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1')
      socket.setTimeout(patienceMs, () => socket.destroy())
      socket.on('data', (piece) => socket.destroy() && resolve(piece.toString()))
      socket.on('error', () => undefined).on('close', () => resolve(''))
      socket.write(head + inChunksOfOne(body))
    })
  }

  ask(method: string, params: object = {}): Promise<RawAnswer> {
    return this.raw(JSON.stringify({ jsonrpc: '2.0', id: this.#id++, method, params }))
  }

  cancelLast(): Promise<RawAnswer> {
    const params = { requestId: this.#id - 1 }
    return this.raw(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
  }

  call(name: string, args: unknown): Promise<RawAnswer> {
    return this.ask('tools/call', { name, arguments: args })
  }
}

/** A caller that sends a message per line, as over a pipe. */
export class RawLines {
  readonly #socket: Socket
  readonly #waiting = new Map<number, () => void>()
  #id = 0

  private constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    createInterface({ input: this.#socket }).on('line', (line) => {
      // The answer to a line that is too long names no id.
      const [oldest = 0] = this.#waiting.keys()
      const id = Number(/"id":(\d+)/.exec(line)?.[1] ?? oldest)
      this.#waiting.get(id)?.()
      this.#waiting.delete(id)
    })
    this.#socket.setTimeout(patienceMs, () => this.#socket.destroy(new Error(`no answer in ${patienceMs} ms`)))
  }

  static async open(port: number): Promise<RawLines> {
    const lines = new RawLines(port)
    await lines.#ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'stranger', version: '1' },
    })
    return lines
  }

  call(name: string, args: unknown): Promise<void> {
    return this.#ask('tools/call', { name, arguments: args })
  }

  #ask(method: string, params: object): Promise<void> {
    const id = this.#id++
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => void this.#waiting.set(id, resolve))
  }
}
