// A scripted server, and a client that is connected to it. When the test ends, the official schema of the revision validates each message
// of the client.

import { memoryRevisions } from '../../src/client/connection/revision-store.js'
import { type Client, type ConnectOptions, connect } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import type { Request } from '../../src/jsonrpc/message.js'
import { readMessage } from '../../src/jsonrpc/read-message.js'
import {
  type ClientTransport,
  type Endpoint,
  type OutgoingMessage,
  TransportError,
  type TransportListener,
} from '../../src/peer/client-transport.js'
import type { Frame } from '../../src/testing/wire.js'
import { afterEachTest } from '../each-test.js'
import { judgeFrames } from '../official-schemas.js'

/** An error response. */
export class Fails {
  readonly code: number
  readonly message: string
  readonly data: unknown
  constructor(code: number, message = 'no', data?: unknown) {
    this.code = code
    this.message = message
    this.data = data
  }
}

/** No response. */
export const silence = Symbol('silence')

/** Answers a request: a result, an error, silence, or a transport error. */
export type RequestHandler = (request: Request & { params: JsonObject }, server: ScriptedServer) => Reply | Promise<Reply>
export type Reply = JsonObject | Fails | TransportError | typeof silence
export type Script = { readonly [method: string]: RequestHandler | JsonObject | Fails | TransportError | typeof silence }

/** Actions of a script besides answering. */
export interface ScriptedServer {
  /** Sends any message to the client. */
  say(message: JsonObject): void
  /** Sends text unchanged. */
  sayText(text: string): void
  notify(method: string, params?: JsonObject): void
  /** Sends a request to the client, and waits for its response. */
  ask(id: string | number, method: string, params?: JsonObject): Promise<JsonObject>
  /** Breaks the connection. */
  hangUp(why?: TransportError): void
  readonly sent: readonly OutgoingMessage[]
  readonly dropped: readonly number[]
  readonly dials: number
  /** The messages of the client with the method. */
  received(method: string): JsonObject[]
}

export type ScriptedSession = {
  readonly client: Client
  readonly server: ScriptedServer
  readonly frames: readonly Frame[]
  readonly warnings: readonly string[]
}

type ScriptOptions = {
  readonly revision: string
  readonly shape?: 'pipe' | 'posts'
  /** The declared capabilities; by default tools. */
  readonly capabilities?: JsonObject
  readonly options?: ConnectOptions
  /** The client violates the schema on purpose, or uses extensions that the core schema does not define. */
  readonly lenient?: boolean
}

const open: { revision: string; frames: readonly Frame[]; lenient: boolean; client?: Client }[] = []

afterEachTest(async () => {
  for (const { revision, frames, lenient, client } of open.splice(0)) {
    await client?.close()
    const found = judgeFrames(revision, frames).filter((complaint) => complaint.startsWith('client') && !lenient)
    if (found.length > 0)
      throw new Error(`Messages of the client that break the official schema of ${revision}:\n${found.join('\n')}`)
  }
})

/** Connects a client to a scripted server. Requests that open a connection are answered by default as the revision requires. */
export async function connectScripted(script: Script, choice: ScriptOptions): Promise<ScriptedSession> {
  const warnings: string[] = []
  const { endpoint, server, frames } = scriptedEndpoint(script, choice)
  const entry: (typeof open)[number] = { revision: choice.revision, frames, lenient: choice.lenient ?? false }
  open.push(entry)
  const client = await connect(endpoint, {
    revision: choice.revision,
    verdicts: memoryRevisions(),
    onWarning: (text) => warnings.push(text),
    ...choice.options,
  })
  entry.client = client
  return { client, server, frames, warnings }
}

/** A transport to a scripted server, for tests that connect themselves. */
export function scriptedEndpoint(
  script: Script,
  { revision, shape = 'pipe', capabilities = { tools: {} } }: ScriptOptions,
): { endpoint: Endpoint; server: ScriptedServer; frames: Frame[] } {
  const frames: Frame[] = []
  const sent: OutgoingMessage[] = []
  const dropped: number[] = []
  const asked = new Map<unknown, (response: JsonObject) => void>()
  let dials = 0
  let listener: TransportListener | undefined
  const hearText = (text: string) => {
    frames.push({ from: 'server', message: JSON.parse(text) })
    const read = readMessage(text)
    if (read.kind === 'batch' || read.kind === 'invalid') throw new Error(`The script says something that is no message: ${text}`)
    listener?.hear(read)
  }
  const hear = (message: JsonObject) => hearText(JSON.stringify(message))
  const say = (message: JsonObject) => hear({ jsonrpc: '2.0', ...message })
  const server: ScriptedServer = {
    say,
    sayText: hearText,
    notify: (method, params) => say({ method, ...(params && { params }) }),
    ask: (id, method, params) =>
      new Promise((resolve) => {
        asked.set(id, resolve)
        say({ id, method, ...(params && { params }) })
      }),
    hangUp: (why = new TransportError('broken', 'the script hung up', { sent: true })) => listener?.ended(why),
    sent,
    dropped,
    get dials() {
      return dials
    },
    received: (method) =>
      frames.flatMap(({ from, message }) => (from === 'client' && message.method === method ? [message] : [])),
  }
  const perform = { ...openingResponses(revision, capabilities), ...script }
  const answer = async (request: Request & { params: JsonObject }) => {
    const part = perform[request.method] ?? new Fails(-32601, `no ${request.method}`)
    const reply = typeof part === 'function' ? await part(request, server) : part
    if (reply === silence) return
    if (reply instanceof TransportError) return listener?.lost(Number(request.id), reply)
    if (reply instanceof Fails)
      return say({
        id: request.id as number,
        error: { code: reply.code, message: reply.message, ...(reply.data !== undefined && { data: reply.data as JsonObject }) },
      })
    say({ id: request.id as number, result: reply })
  }
  const take = (outgoing: OutgoingMessage) => {
    sent.push(outgoing)
    const message: JsonObject = JSON.parse(outgoing.text)
    frames.push({ from: 'client', message })
    if (message.method === undefined) return asked.get(message.id)?.(message)
    if (message.id !== undefined) void answer({ params: {}, ...message } as unknown as Request & { params: JsonObject })
    else {
      const part = perform[String(message.method)]
      if (typeof part === 'function') void part({ params: {}, ...message } as unknown as Request & { params: JsonObject }, server)
    }
  }
  const link: ClientTransport = {
    shape,
    send: (outgoing) => queueMicrotask(() => take(outgoing)),
    drop: (id) => void dropped.push(id),
    settled: () => undefined,
    close: async () => undefined,
  }
  const endpoint: Endpoint = {
    name: 'a script',
    key: `script ${Math.random()}`,
    dial: async (given) => {
      dials++
      listener = given
      return link
    },
  }
  return { endpoint, server, frames }
}

export function openingResponses(revision: string, capabilities: JsonObject): Script {
  const serverInfo = { name: 'scripted', version: '1.0.0' }
  return {
    initialize: { protocolVersion: revision, capabilities, serverInfo },
    'server/discover': {
      resultType: 'complete',
      supportedVersions: [revision],
      capabilities,
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    },
  }
}

/** A page of tools. `ttlMs` and the other members are added if the revision has them. */
export const toolsPage = (tools: JsonObject[], more: JsonObject = {}): JsonObject => ({
  resultType: 'complete',
  tools,
  ttlMs: 0,
  cacheScope: 'private',
  ...more,
})

export const plainTool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more })

export const textResult = (text: string, more: JsonObject = {}): JsonObject => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
  ...more,
})
