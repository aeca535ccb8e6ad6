// One conversation with a server: from its opening to its end, in one revision.

import { Countdown, type TimeLimits } from '../../bounds/countdown.js'
import { longestTimer } from '../../bounds/longest-timer.js'
import { TimerQueue } from '../../bounds/timer-queue.js'
import { isLongWork, yieldToEventLoop } from '../../bounds/yield-when-busy.js'
import type { JsonObject } from '../../json.js'
import { codes, type ErrorObject, RpcError } from '../../jsonrpc/error.js'
import type { Notification, Request, Response } from '../../jsonrpc/message.js'
import { type ClientTransport, type Endpoint, TransportError, type TransportListener } from '../../peer/client-transport.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import { printableName } from '../../text/printable-name.js'
import { Refusal } from '../../tools/refusal.js'
import { ProgressThrottle } from '../calls/progress-throttle.js'
import type { Answering, AnswerKinds, RequestOptions } from '../client.js'
import type { ClientLimits } from '../options.js'
import { type Arrived, IncomingQuestions } from '../questions/incoming-questions.js'
import type { MessageOrigin, ScopedRequest } from '../questions/request-scopes.js'
import { type ServerTextCleaner, uncleanedText } from '../server-text-cleaner.js'
import { callFailureOf, cancelled, timedOut, withdrawnByServer } from './call-failures.js'
import type { ClientDeclaration } from './client-declaration.js'
import { MessageEncoder } from './message-encoder.js'
import { NotificationQueue } from './notification-queue.js'
import type { PendingRequest } from './pending-request.js'
import { PendingRequests } from './pending-requests.js'
import { isRepeatable } from './repeatable.js'

// Keeps the process alive while a request waits for its answer. Timeouts do not: a request may have none, and their timer is shared.

type Timer = ReturnType<typeof setInterval> & { ref?: () => void; unref?: () => void }

/** One shared timer, referenced while requests are pending. A timer for each request would cost more than the rest of the request. */
export class KeepAlive {
  #waiting = 0
  #timer: Timer | undefined

  begin(): void {
    if (this.#waiting++ > 0) return
    this.#timer ??= setInterval(() => undefined, longestTimer) // it only has to exist
    this.#timer.ref?.()
  }

  end(): void {
    if (--this.#waiting === 0) this.#timer?.unref?.()
  }
}

export type SessionOptions = {
  readonly limits: ClientLimits
  /** The client's declaration, for the connection or for a request with handlers of its own. */
  readonly declaration: (revision: Revision, asks?: AnswerKinds) => ClientDeclaration
  /** Handles a request from the server; the result becomes the response. */
  readonly asked: (request: Request, about: QuestionContext) => Promise<JsonObject>
  /** The party whose call a request from the server belongs to, if it is known and has a name. */
  readonly partyOf: (request: Request, origin: MessageOrigin) => string | object | undefined
  readonly notified: (notification: Notification, session: ClientSession, origin: MessageOrigin) => void
  /** Called when notifications may have been lost. */
  readonly missed: () => void
  /** Returns the cleaner for everything that the server sends. */
  readonly textCleaner: () => Promise<ServerTextCleaner>
}

export interface SessionHost {
  readonly options: SessionOptions
  /** Called before a session is dialled; throws if the connection is closed. */
  dialling(session: ClientSession): void
  /** Called when the session is completely closed. */
  closed(session: ClientSession): void
  ended(session: ClientSession, why: TransportError): void
  warn(text: string): void
}

/** Includes the revision, because a server may ask before the client knows that the session has begun. */
export type QuestionContext = { readonly revision: Revision; readonly signal: AbortSignal; readonly arrival: MessageOrigin }

export type SendOptions = RequestOptions &
  ScopedRequest & {
    /** True if repeating the request is harmless. */
    readonly repeatable?: boolean
    /** `Mcp-Param-*` headers. */
    readonly mirrored?: readonly string[]
    /** The request stays open until either side ends it, so it has no timeout. */
    readonly endless?: boolean
    /** Called with the id of the request. */
    readonly began?: (id: number) => void
    /** The number of the only session in which the request is valid. */
    readonly sessionNumber?: number | undefined
    /** `closes`: the connection is closed, because a handshake cannot be cancelled. `silently`: no cancellation is sent. */
    readonly onAbandon?: 'closes' | 'silently'
  }

const noOptions: SendOptions = {}
/** Requests of this method stay open, so they do not keep the process alive. */
const endlessMethod = 'subscriptions/listen'
const closedError = new TransportError('closed', 'the connection was closed', { sent: true })
const retiredError = new TransportError('session-gone', 'the session was abandoned', { sent: true })
const strayResponse =
  'The server sent a response that matches no pending request (late, duplicate or unknown id). It was ignored.'
const timers = new TimerQueue()
const keepAlive = new KeepAlive()

export class ClientSession implements TransportListener {
  readonly pending = new PendingRequests()
  /** The session's number within its connection. */
  number = 0
  /** Evidence for the revision: shown by the server, assumed from before, or assumed and found wrong. */
  revisionEvidence: 'shown' | 'assumed' | 'mistaken' = 'shown'
  /** The server's capabilities; undefined until known. */
  capabilities: JsonObject | undefined
  readonly #host: SessionHost
  readonly #incoming: IncomingQuestions
  /** Ids of requests that were abandoned without a cancellation. */
  readonly #abandonedIds = new Set<number>()
  readonly #taskProgress = new Map<number, ProgressThrottle>()
  /** Capabilities of single requests, by the kinds of questions that they answer. */
  readonly #declared = new Map<string, ClientCapabilities>()
  /** Faster lookup for callers that pass the same frozen `asks` each time. */
  readonly #declaredBy = new WeakMap<AnswerKinds, ClientCapabilities>()
  #textCleaner: ServerTextCleaner = uncleanedText
  readonly #notices = new NotificationQueue((text) => this.warn(text))
  #transport: ClientTransport | undefined
  #currentEncoder: MessageEncoder | undefined
  #endReason: TransportError | undefined
  #retired = false
  #closing: Promise<void> | undefined

  private constructor(host: SessionHost) {
    this.#host = host
    this.#incoming = new IncomingQuestions({
      asked: async (request, signal, arrived) => {
        const about = { revision: this.#encoder.revision, signal, arrival: this.#arrival(arrived.about) }
        const isLong = isLongWork(arrived.size ?? 0)
        if (isLong) await yieldToEventLoop()
        const cleaned = this.#cleaned(request)
        const question = cleaned instanceof Promise ? await cleaned : cleaned
        if (isLong) await yieldToEventLoop()
        signal.throwIfAborted()
        return host.options.asked(question, about)
      },
      respond: (text) => {
        if (!this.#endReason) this.transport.send({ text, revision: this.revision })
      },
      partyOf: (request, { about }) => host.options.partyOf(request, this.#arrival(about)),
      clocks: ({ about }) => {
        const one = this.pending.find(about)
        return (one ? [one] : this.pending.all()).flatMap(({ countdown }) => countdown ?? [])
      },
    })
  }

  static async dial(endpoint: Endpoint, host: SessionHost): Promise<ClientSession> {
    const session = new ClientSession(host)
    host.dialling(session)
    try {
      session.#textCleaner = await host.options.textCleaner()
      session.#transport = await endpoint.dial(session)
    } catch (thrown) {
      host.closed(session)
      throw thrown instanceof TransportError ? callFailureOf(thrown, { method: 'connect', repeatable: true }) : thrown
    }
    if (!session.#closing) return session
    // The session was closed while it was being dialled.
    await session.#transport.close()
    throw callFailureOf(closedError, { method: 'connect', repeatable: true })
  }

  get limits(): ClientLimits {
    return this.#host.options.limits
  }

  get transport(): ClientTransport {
    if (!this.#transport) throw new TransportError('closed', 'not connected yet', { sent: false })
    return this.#transport
  }

  get revision(): Revision | undefined {
    return this.#currentEncoder?.revision
  }

  get #encoder(): MessageEncoder {
    if (!this.#currentEncoder) throw new TransportError('closed', 'no revision has been negotiated yet', { sent: false })
    return this.#currentEncoder
  }

  get isOver(): boolean {
    return this.#endReason !== undefined || this.#retired
  }

  /** Sets the revision of all messages from now on. */
  setRevision(revision: Revision): void {
    this.#currentEncoder = new MessageEncoder(revision, this.#host.options.declaration(revision))
  }

  request(method: string, params?: JsonObject, options: SendOptions = noOptions): Promise<JsonObject> {
    if (this.#endReason) return Promise.reject(callFailureOf(this.#endReason, { method, repeatable: true }))
    if (options.signal?.aborted) return Promise.reject(cancelled(method, options.signal.reason))
    const id = this.pending.nextId()
    let outgoing: ReturnType<MessageEncoder['request']>
    try {
      // Encoded before the request is registered, because encoding the caller's values may throw.
      const capabilities = this.#capabilitiesOf(options)
      const { meta, mirrored, onProgress } = options
      outgoing = this.#encoder.request(id, method, { params, meta, capabilities, mirrored, progress: onProgress !== undefined })
    } catch (thrown) {
      return Promise.reject(thrown)
    }
    const pendingRequest = this.pending.begin(id, method, isRepeatable(method, options))
    pendingRequest.scope = options.scope
    try {
      this.#watch(pendingRequest, options)
      options.began?.(id)
      this.transport.send(outgoing)
    } catch (thrown) {
      // Rejected now, because no later event would report this error.
      if (this.#end(pendingRequest)) pendingRequest.reject(thrown)
    }
    return pendingRequest.answer
  }

  notify(method: string, params?: JsonObject): void {
    if (!this.#endReason) this.transport.send(this.#encoder.notification(method, params))
  }

  hear(message: Parameters<TransportListener['hear']>[0], about?: number): void {
    if (message.kind === 'response') this.#settle(message.response, message.size)
    else if (message.kind === 'notification') this.#notified(message.notification, { about, size: message.size })
    else this.#asked(message.request, { about, size: message.size })
  }

  setWaiting(id: number, isWaiting: boolean): void {
    this.pending.find(id)?.countdown?.heard(isWaiting ? 'asking' : 'answered')
  }

  lost(id: number, why: TransportError): void {
    const pendingRequest = this.pending.find(id)
    if (pendingRequest && this.#end(pendingRequest)) this.#reject(pendingRequest, callFailureOf(why, pendingRequest))
  }

  ended(why: TransportError): void {
    if (this.#endReason) return
    this.#endReason = why
    // A forgotten session does not tell what the server did with the requests that it had received before.
    const broken = why.code === 'session-gone' ? new TransportError('broken', why.message, { sent: true, cause: why }) : why
    for (const pendingRequest of this.pending.all()) this.lost(pendingRequest.id, broken)
    this.#incoming.abandon(why)
    this.#host.ended(this, why)
  }

  missed(): void {
    this.#host.options.missed()
  }

  warn(text: string): void {
    this.#host.warn(text)
  }

  /** Returns the cleaned `_meta` of an answer, in which a server describes itself. It is ignored if it is too long to clean at once. */
  introductionIn({ _meta }: JsonObject): JsonObject {
    if (_meta === undefined) return {}
    const said = this.#textCleaner.answer('server/discover', { _meta }, (text) => this.warn(text))
    return said instanceof Promise ? {} : said
  }

  /** Reports the progress of a request that goes on after its answer. The returned function ends it. */
  listenAfterAnswer(id: number, onProgress: NonNullable<RequestOptions['onProgress']>): () => void {
    const funnel = new ProgressThrottle(onProgress)
    this.#taskProgress.set(id, funnel)
    return () => {
      this.#taskProgress.delete(id)
      funnel.end()
    }
  }

  /** Takes no more requests, and closes when the pending ones are done. */
  retire(): void {
    this.#retired = true
    // Subscriptions would never be done.
    for (const { id, method } of this.pending.all()) if (method === endlessMethod) this.lost(id, retiredError)
    if (this.pending.size === 0) void this.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#endReason ??= closedError
    for (const pendingRequest of this.pending.all()) this.lost(pendingRequest.id, this.#endReason)
    this.#incoming.abandon(this.#endReason)
    await this.#transport?.close()
    this.#host.closed(this)
  }

  /** Cancels a request that its caller has abandoned, in the way that the revision requires. */
  cancel(pendingRequest: PendingRequest, why: Error, onAbandon?: SendOptions['onAbandon']): void {
    if (!this.#end(pendingRequest)) return
    pendingRequest.reject(why)
    const hangsUp = this.transport.shape === 'posts' && this.revision?.http.hangingUpCancels === true
    if (onAbandon === 'silently') this.#abandonedIds.add(pendingRequest.id)
    if (onAbandon === 'closes') void this.close()
    else if (!hangsUp && onAbandon !== 'silently')
      this.notify('notifications/cancelled', { requestId: pendingRequest.id, reason: why.message })
    this.transport.drop(pendingRequest.id)
  }

  #watch(pendingRequest: PendingRequest, options: SendOptions): void {
    const { signal, onProgress, scope, endless: hasNoEnd, onAbandon, idleMs, totalMs } = options
    if (pendingRequest.method !== endlessMethod) keepAlive.begin()
    if (!hasNoEnd) {
      const limits = withLimits(this.limits, idleMs, totalMs)
      pendingRequest.countdown = new Countdown(limits, timers, (limit) =>
        this.cancel(pendingRequest, timedOut(pendingRequest, limit, limits[limit]), onAbandon),
      )
    }
    if (onProgress) pendingRequest.progress = new ProgressThrottle(onProgress, { each: scope?.handlers.eachProgress })
    if (signal) {
      const abort = () => this.cancel(pendingRequest, cancelled(pendingRequest.method, signal.reason), onAbandon)
      signal.addEventListener('abort', abort, { once: true })
      // Written apart from its assignment, so that the call can be collected early: docs/decisions/0012-what-a-call-leaves-behind.md.
      const unlisten = () => signal.removeEventListener('abort', abort)
      pendingRequest.unlisten = unlisten
    }
  }

  #settle(response: Response, size = 0): void {
    const pendingRequest = this.pending.find(response.id)
    if (!pendingRequest || !this.#end(pendingRequest)) this.#warnOfStray(response)
    else if (isLongWork(size)) void yieldToEventLoop().then(() => this.#answered(pendingRequest, response, yieldToEventLoop))
    else this.#answered(pendingRequest, response)
  }

  /** Cleans and resolves a long answer in separate turns of the event loop. */
  #answered(pendingRequest: PendingRequest, response: Response, rest?: () => Promise<void>): void {
    if ('error' in response) return void this.#reject(pendingRequest, rpcErrorOf(response.error), rest)
    try {
      const cleaned = this.#textCleaner.answer(pendingRequest.method, response.result, (text) => this.warn(text))
      pendingRequest.resolve(rest ? Promise.resolve(cleaned).then((result) => rest().then(() => result)) : cleaned)
    } catch (thrown) {
      pendingRequest.reject(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }

  #reject(pendingRequest: PendingRequest, thrown: Error, rest?: () => Promise<void>): void {
    const error = this.#textCleaner.error(thrown)
    if (!rest && !(error instanceof Promise)) return void pendingRequest.reject(error)
    void Promise.all([error, rest?.()]).then(([error]) => pendingRequest.reject(error), pendingRequest.reject)
  }

  #cleaned(request: Request): Request | Promise<Request> {
    const { method, params } = request
    if (!params) return request
    const withheld = (thrown: unknown): never => {
      if (!(thrown instanceof Refusal)) throw thrown
      this.warn(thrown.message)
      throw new RpcError(codes.internalError, thrown.message, { cause: thrown })
    }
    try {
      const cleaned = this.#textCleaner.question(method, params)
      if (!(cleaned instanceof Promise)) return { ...request, params: cleaned }
      return cleaned.then((params) => ({ ...request, params }), withheld)
    } catch (thrown) {
      return withheld(thrown)
    }
  }

  /** An older server may answer `server/discover` too late, or with an error that has no id. Neither deserves a warning. */
  #warnOfStray(response: Response): void {
    const { id } = response
    if (typeof id === 'number' && this.#abandonedIds.delete(id)) return
    const [only, ...more] = this.pending.all()
    const isAboutProbe = !['number', 'string'].includes(typeof id) && more.length === 0 && only?.method === 'server/discover'
    if (isAboutProbe && 'error' in response && this.#end(only)) this.#reject(only, rpcErrorOf(response.error))
    else this.warn(strayResponse)
  }

  #end(pendingRequest: PendingRequest): boolean {
    const ended = this.pending.end(pendingRequest)
    if (ended && pendingRequest.method !== endlessMethod) keepAlive.end()
    if (ended && this.#retired && !this.#endReason && this.pending.size === 0) void this.close()
    return ended
  }

  #arrival(about: number | undefined): MessageOrigin {
    return { with: this.pending.find(about), underWay: () => this.pending.all() }
  }

  /** In per-request revisions, a request with handlers of its own declares capabilities of its own. */
  #capabilitiesOf({ scope }: SendOptions): ClientCapabilities | undefined {
    const { revision } = this.#encoder
    if (!scope || revision.style !== 'per-request') return undefined
    const { answers, asks = answers && answerKindsOf(answers) } = scope.handlers
    if (!asks) return undefined
    const declared = this.#declaredBy.get(asks)
    if (declared) return declared
    const kinds = JSON.stringify(asks)
    const known = this.#declared.get(kinds) ?? this.#host.options.declaration(revision, asks).capabilities
    this.#declared.set(kinds, known)
    if (Object.isFrozen(asks)) this.#declaredBy.set(asks, known)
    return known
  }

  /** Queues notifications behind one whose long texts are being cleaned, because their order matters. */
  #notified(came: Notification, { about, size = 0 }: Arrived): void {
    const origin = this.#arrival(about)
    const deliver = async () => {
      await yieldToEventLoop()
      return clean()
    }
    const clean = () => {
      const params = came.params && this.#textCleaner.notification(came.method, came.params)
      if (!(params instanceof Promise)) return this.#deliver(came, params, origin)
      return params.then((cleaned) => this.#deliver(came, cleaned, origin))
    }
    if (came.method === 'notifications/cancelled') this.#withdrawn(came.params)
    else this.#notices.take(isLongWork(size) ? deliver : clean, came.params)
  }

  #deliver(came: Notification, params: JsonObject | undefined, origin: MessageOrigin): void {
    const notification = params === came.params ? came : { ...came, ...(params && { params }) }
    if (came.method === 'notifications/progress') this.#progressed(params)
    else this.#host.options.notified(notification, this, origin)
  }

  /** The server withdraws its own question, or ends one of our subscriptions. 2026-07-28/basic/patterns/cancellation */
  #withdrawn({ requestId, reason }: JsonObject = {}): void {
    const pendingRequest = this.pending.find(requestId)
    if (pendingRequest?.method !== endlessMethod)
      return void this.#incoming.withdraw(requestId, withdrawnByServer('its question', reason))
    const why = withdrawnByServer('a subscription', reason)
    this.warn(why.message)
    if (this.#end(pendingRequest)) pendingRequest.reject(why)
  }

  #progressed(params: JsonObject | undefined): void {
    const token = params?.progressToken
    const pendingRequest = this.pending.find(token)
    if (!pendingRequest?.progress) return void (typeof token === 'number' && this.#taskProgress.get(token)?.take(params))
    pendingRequest.countdown?.heard('progress')
    pendingRequest.progress.take(params)
  }

  #asked(request: Request, arrived: Arrived): void {
    // spec 2026-07-28, basic/index#message-directions: servers of these revisions send no requests, and clients no responses.
    if (this.revision?.style !== 'per-request') return void this.#incoming.take(request, arrived)
    const method = printableName(request.method)
    this.warn(`The server sent the request "${method}", which this revision does not allow. It was ignored.`)
  }
}

const rpcErrorOf = ({ code, message, data }: ErrorObject): RpcError => new RpcError(code, message, { data })

const answerKindsOf = ({ form, page, model, roots }: Answering): AnswerKinds => ({
  form: form !== undefined,
  page: page !== undefined,
  model: model !== undefined,
  roots: roots !== undefined,
})

/** Reuses the usual limits, because most requests have none of their own. */
const withLimits = (usual: TimeLimits, idleMs = usual.idleMs, totalMs = usual.totalMs): TimeLimits =>
  idleMs === usual.idleMs && totalMs === usual.totalMs ? usual : { idleMs, totalMs }
