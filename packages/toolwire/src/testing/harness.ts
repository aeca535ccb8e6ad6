// A client in the same process, for tests: it speaks any revision, answers questions, and keeps every message.
import type { JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { Id } from '../jsonrpc/message.js'
import type { Application } from '../peer/application.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { ToolSet } from '../server/options.js'
import type { Server } from '../server/server.js'
import { type Caller, localUser } from '../tools/caller.js'
import { type CallResult, type Calls, ToolCallError } from '../tools/calls.js'
import type { LogLevel } from '../tools/context.js'
import { type Answers, answerQuestion, type Question } from './answers.js'
import { opening, type Speech, speechOf } from './speech.js'
import { type Frame, Wire } from './wire.js'

export type { Answers, Frame }

export type HarnessOptions = {
  /** The newest the server speaks, if not said. */
  revision?: string
  caller?: Partial<Caller>
  /** Answers to questions, by their keys: the content of a form, true for a page, or a whole response; or a function. */
  answers?: Answers
  /** What the client says it can do; by default everything, if there are `answers`. */
  capabilities?: ClientCapabilities
  logLevel?: LogLevel
}

export type CallOptions = {
  onProgress?: (progress: JsonObject) => void
  signal?: AbortSignal
  meta?: JsonObject
  task?: JsonObject
}

export interface Harness<T extends ToolSet> extends AsyncDisposable {
  readonly revision: string
  /** The server's tools as typed functions; a failed call throws. */
  readonly tools: Calls<T>
  /** Calls a tool and gives the result as it came, questions answered. */
  call(name: string, args?: JsonObject, options?: CallOptions): Promise<CallResult & JsonObject>
  /** Sends any request; an error response is thrown as RpcError. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>
  notify(method: string, params?: JsonObject): void
  /** Sends text exactly as it is. */
  send(text: string | Uint8Array): void
  /** Every message that went over the wire, in order. */
  readonly frames: readonly Frame[]
  /** Messages from the server that answered nothing, of one method or all. */
  heard(method?: string): JsonObject[]
  /** Waits until the server has sent such a message. */
  hear(method: string, ms?: number): Promise<JsonObject>
  close(): void
}

const mostRounds = 12
const everything: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

/** Connects a client to a server in memory. */
export async function harness<T extends ToolSet>(app: Server<T>, options: HarnessOptions = {}): Promise<Harness<T>> {
  const revision = pickRevision(app['~application'], options.revision)
  const capabilities = options.capabilities ?? (options.answers ? everything : {})
  const speech = speechOf(revision, { capabilities, logLevel: options.logLevel })
  const wire = new Wire(app['~application'], { ...localUser, ...options.caller }, (question) =>
    answerQuestion(question, options.answers ?? {}),
  )
  const client = new HarnessClient(wire, speech, options.answers ?? {})
  for (const step of opening(speech))
    await (step.id ? client.request(step.method, step.params) : client.notify(step.method, step.params))
  return Object.assign(client, { tools: callsOf<T>(client) })
}

function pickRevision({ editions }: Application, version: string | undefined): Revision {
  const revision = version === undefined ? editions.all[0] : editions.find(version)
  if (!revision) throw new Error(`The server does not speak ${version}; it speaks ${editions.versions.join(', ')}`)
  return revision
}

class HarnessClient {
  readonly revision: string
  readonly #wire: Wire
  readonly #speech: Speech
  readonly #answers: Answers
  #lastId = 0

  constructor(wire: Wire, speech: Speech, answers: Answers) {
    this.#wire = wire
    this.#speech = speech
    this.#answers = answers
    this.revision = speech.revision.version
  }

  get frames(): readonly Frame[] {
    return this.#wire.frames
  }

  async call(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<CallResult & JsonObject> {
    const result = await this.request(
      'tools/call',
      { name, arguments: args, ...(options.task && { task: options.task }) },
      options,
    )
    return result as CallResult & JsonObject // what a server sends is checked by the tests that look at it
  }

  /** Goes as many rounds as the server has questions. */
  async request(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    let more: JsonObject = {}
    for (let round = 0; round < mostRounds; round++) {
      const result = await this.#once(method, { ...params, ...more }, options)
      if (result.resultType !== 'input_required') return result
      more = await this.#answersTo(result)
    }
    throw new Error(`${method} still asks after ${mostRounds} rounds`)
  }

  notify(method: string, params?: JsonObject): void {
    this.#wire.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  send(text: string | Uint8Array): void {
    this.#wire.sendRaw(text)
  }

  heard(method?: string): JsonObject[] {
    return this.#wire.heard(method)
  }

  hear(method: string, ms = 2_000): Promise<JsonObject> {
    return this.#wire.hear(method, ms)
  }

  close(): void {
    this.#wire.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  async #once(method: string, params: JsonObject, { onProgress, signal, meta }: CallOptions): Promise<JsonObject> {
    const id: Id = ++this.#lastId
    const _meta = {
      ...this.#speech.meta,
      ...meta,
      ...(onProgress && { progressToken: id }),
      ...(params._meta as JsonObject | undefined),
    }
    const full = Object.keys(_meta).length > 0 ? { ...params, _meta } : params
    const response = this.#wire.ask({ jsonrpc: '2.0', id, method, params: full }, onProgress)
    signal?.addEventListener('abort', () =>
      this.notify('notifications/cancelled', { requestId: id, reason: String(signal.reason) }),
    )
    const settled = await (signal ? Promise.race([response, aborted(signal)]) : response)
    if ('error' in settled) throw new RpcError(settled.error.code, settled.error.message, { data: settled.error.data })
    return settled.result
  }

  async #answersTo({ inputRequests, requestState }: JsonObject): Promise<JsonObject> {
    const questions = Object.entries((inputRequests ?? {}) as Record<string, Omit<Question, 'key'>>)
    const responses = await Promise.all(
      questions.map(async ([key, question]) => [key, await answerQuestion({ key, ...question }, this.#answers)] as const),
    )
    const inputResponses = Object.fromEntries(responses)
    return { ...(questions.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) }
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** A proxy, so that tools which come and go at run time can be called too. */
function callsOf<T extends ToolSet>(client: HarnessClient): Calls<T> {
  const call =
    (name: string) =>
    async (input: JsonObject = {}) => {
      const result = await client.call(name, input)
      if (result.isError) throw new ToolCallError(result)
      return 'structuredContent' in result ? result.structuredContent : result
    }
  return new Proxy({}, { get: (_, name) => call(String(name)) }) as Calls<T> // its types come from the server's own
}
