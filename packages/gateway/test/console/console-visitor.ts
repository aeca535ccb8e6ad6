// A console with a client that acts as a browser, or as something else.
import { request } from 'node:http'
import type { GatewayConfig } from '../../src/config/gateway-config.js'
import type { GatewayOptions } from '../../src/lifecycle/start-gateway.js'
import { type Started, started } from '../support/running-gateway.js'

export type Reply = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string }
export type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: unknown }

export type Console = Started & {
  readonly home: string
  send(path: string, sent?: Sent): Promise<Reply>
}

/** The headers of a session. */
export type Shown = { readonly cookie: string; readonly 'x-toolwire-session': string }

type Given = { readonly config?: Partial<GatewayConfig>; readonly options?: Partial<GatewayOptions> }

export async function withConsole({ config, options }: Given = {}): Promise<Console> {
  const gateway = await started({ console: { host: '127.0.0.1', port: 0 }, ...config }, options)
  const home = gateway.consoleUrl ?? ''
  return Object.assign(gateway, { home, send: (path: string, sent?: Sent) => send(home, path, sent) })
}

/** Sends a request with headers that fetch would not send. */
export function send(home: string, path: string, { method, headers, body }: Sent = {}): Promise<Reply> {
  const { hostname, port } = new URL(home)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const all = { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: method ?? (text ? 'POST' : 'GET'), headers: all }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer) // the response is binary without an encoding
      const flat = Object.entries(response.headers).map(([name, value = '']) => [name, [value].flat().join(', ')])
      resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(flat), text: Buffer.concat(chunks).toString() })
    })
    sent.on('error', reject).end(text)
  })
}

/** Logs in a browser with this name. */
export async function enter({ send, loginLink }: Console, browser = 'Browser/1.0'): Promise<Shown & { readonly id: string }> {
  const token = loginLink()?.split('#login=')[1]
  const { status, headers, text } = await send('/session', { body: { token }, headers: { 'user-agent': browser } })
  if (status !== 200) throw new Error(`The login was refused: ${status} ${text}`)
  const { id, csrf } = JSON.parse(text) as { id: string; csrf: string }
  return { id, cookie: headers['set-cookie']?.split(';')[0] ?? '', 'x-toolwire-session': csrf }
}
