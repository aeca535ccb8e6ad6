// A server with tools of different scopes on a real port.
import '../reported-faults.js'
import { jsonSchema, server, tool } from '../../src/index.js'
import { type HttpOptions, listen } from '../../src/node.js'
import { freePort } from '../free-port.js'
import { call, initialize, initialized, modern, selfDescribing } from '../transports/fixture.js'
import { both, mirrored } from '../transports/peers.js'

export interface Served extends AsyncDisposable {
  readonly url: string
  readonly origin: string
  /** Contexts that the handlers have received. */
  readonly contexts: unknown[]
}

export function app(contexts: unknown[] = []) {
  return server({
    name: 'files',
    version: '1.0.0',
    tools: {
      who: tool({
        description: 'Tells who is calling',
        run: (_input, ctx) => {
          contexts.push(ctx)
          return `${ctx.caller.id} [${ctx.caller.scopes.join(' ')}]`
        },
      }),
      read: tool({ description: 'Reads', scopes: ['files:read'], run: () => 'read' }),
      publish: tool({ description: 'Publishes', scopes: ['files:read', 'files:write'], run: () => 'published' }),
      long: tool({
        description: 'Takes long',
        scopes: ['files:write'],
        longRunning: 'required',
        input: jsonSchema<{ where: string }>({
          type: 'object',
          properties: { where: { type: 'string', 'x-mcp-header': 'Where' } },
          required: ['where'],
        }),
        run: () => 'long',
      }),
      once: tool({ description: 'Once', scopes: ['files:write'], limit: { calls: 1, per: 'hour' }, run: () => 'once' }),
    },
  })
}

/** The options may depend on the URL, because tokens name it. */
export async function serve(optionsFor: (url: string) => HttpOptions): Promise<Served> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const contexts: unknown[] = []
  const { url, close } = await listen(app(contexts), { ...optionsFor(`${origin}/mcp`), port, signals: false })
  return { url, origin, contexts, [Symbol.asyncDispose]: close }
}

export type Said = {
  readonly status: number
  readonly challenge: string
  readonly header: (name: string) => string | null
  readonly text: string
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly tools?: readonly { readonly name: string }[]
  }
  readonly error?: { readonly code: number; readonly message: string }
}

type Headers = Readonly<Record<string, string>>

/** Posts one message of the latest revision. */
export function say(url: string, message: { method: string; params?: object }, headers: Headers = {}): Promise<Said> {
  const whole = selfDescribing(message)
  return post(url, whole, { ...mirrored(whole), ...headers })
}

export async function post(url: string, message: object, headers: Headers = {}): Promise<Said> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: both, ...headers },
    body: JSON.stringify(message),
    redirect: 'manual',
  })
  const text = await response.text()
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    header: (name) => response.headers.get(name),
    text,
    ...(text.startsWith('{') && JSON.parse(text)),
  }
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** Calls a tool. */
export const use = (url: string, name: string, headers?: Headers): Promise<Said> => say(url, call(1, name), headers)

export const who = async (url: string, token: string): Promise<string> => {
  const { result, status } = await use(url, 'who', bearer(token))
  return result?.content?.[0]?.text ?? String(status)
}

export const names = async (url: string, headers?: Headers): Promise<string[]> => {
  const { result } = await say(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' } as { method: string }, headers)
  return result?.tools?.map(({ name }) => name) ?? []
}

/** Opens a session of an older revision, and returns its headers. */
export async function session(url: string, version: string, headers: Headers = {}): Promise<Headers> {
  const opened = await post(url, initialize(version), headers)
  const token = opened.header('mcp-session-id')
  const own = { ...headers, ...(token !== null && { 'mcp-session-id': token }), 'mcp-protocol-version': version }
  await post(url, initialized, own)
  return own
}

export { call, modern }
