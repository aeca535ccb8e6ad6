// One conversation with a server: from its opening to its end, in one revision.
import type { JsonObject } from '../json.js'
import { codes, type ErrorObject, RpcError } from '../jsonrpc/error.js'
import type { Notification, Request, Response } from '../jsonrpc/message.js'
import { type Link, LinkError, type Listener, type Outgoing, type Way } from '../peer/link.js'
import { Alarm } from '../policy/alarm.js'
import { Countdown, type TimeLimits } from '../policy/countdown.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import { Refusal } from '../tools/refusal.js'
import type { Answering, Asks, RequestOptions } from './client.js'
import type { Introduction } from './encode.js'
import { cancelled, failureOf, timedOut, withdrawn } from './failure.js'
import { Incoming } from './incoming.js'
import { Inquiries } from './inquiries.js'
import type { Inquiry } from './inquiry.js'
import { NoticeQueue } from './notice-queue.js'
import type { ClientLimits } from './options.js'
import { printable } from './printable.js'
import { ProgressFunnel } from './progress.js'
import { isRepeatable } from './repeatable.js'
import type { Arrival, Scoped } from './scopes.js'
import { Vigil } from './vigil.js'
import { Voice } from './voice.js'
import { asTheyCome, type Words } from './words.js'

/** What a session needs from the client that it belongs to. */
export interface Host {
  readonly limits: ClientLimits
  /** Of the connection, or of a request that has somebody of its own to answer. */
  introduction(revision: Revision, asks?: Asks): Introduction
  /** A session is about to be dialled; throws when no more are wanted. */
  dialling(session: Session): void
  /** Nothing is left of it. */
  closed(session: Session): void
  /** A request of the server; the result becomes the response. */
  asked(request: Request, about: About): Promise<JsonObject>
  /** What cleans everything that the server says. */
  words(): Promise<Words>
  notified(notification: Notification, session: Session, arrival: Arrival): void
  ended(session: Session, why: LinkError): void
  warn(text: string): void
}

/** A server may ask before the client knows that the session has begun. */
export type About = { readonly revision: Revision; readonly signal: AbortSignal; readonly arrival: Arrival }

/** How one request is sent, besides what its caller wants. */
export type Sending = RequestOptions &
  Scoped & {
    /** Doing it twice does no harm. */
    readonly repeatable?: boolean
    /** `Mcp-Param-*` headers. */
    readonly mirrored?: readonly string[]
    /** Goes on until either side ends it, so no clock runs. */
    readonly endless?: boolean
    /** Told the id of the request. */
    readonly began?: (id: number) => void
    /** Makes no sense in any session but that one, by its number. */
    readonly within?: number | undefined
    /** A handshake cannot be cancelled, so the connection is closed; a server that may not know us yet is not told at all. */
    readonly givingUp?: 'closes' | 'silently'
  }

const none: Sending = {}
/** Nobody waits for the end of this one. */
const endless = 'subscriptions/listen'
const closed = new LinkError('closed', 'the connection was closed', { sent: true })
const retired = new LinkError('session-gone', 'the session was given up', { sent: true })
const stray = 'An answer came to no request that is open: too late, twice, or with a foreign id; it was passed over'
const alarm = new Alarm()
const vigil = new Vigil()

/** How it is known which era the server is from: from itself, from before, or from before and that was wrong. */
export type Era = 'shown' | 'assumed' | 'mistaken'

export class Session implements Listener {
  readonly inquiries = new Inquiries()
  /** Which of its connection's sessions it is. */
  number = 0
  era: Era = 'shown'
  /** What the server offers; undefined while nobody has asked it. */
  capabilities: JsonObject | undefined
  readonly #host: Host
  readonly #incoming: Incoming
  /** Requests that were given up without a word. */
  readonly #givenUp = new Set<number>()
  readonly #lasting = new Map<number, ProgressFunnel>()
  /** What single requests declare, by the kinds of questions that they answer. */
  readonly #declared = new Map<string, ClientCapabilities>()
  /** The same, for those who declare with the same value each time. */
  readonly #declaredBy = new WeakMap<Asks, ClientCapabilities>()
  #words: Words = asTheyCome
  readonly #notices = new NoticeQueue((text) => this.warn(text))
  #link: Link | undefined
  #spoken: Voice | undefined
  #over: LinkError | undefined
  #retired = false
  #closing: Promise<void> | undefined

  private constructor(host: Host) {
    this.#host = host
    this.#incoming = new Incoming({
      asked: async (request, signal, about) =>
        host.asked(this.#cleaned(request), { revision: this.#voice.revision, signal, arrival: this.#arrival(about) }),
      respond: (text) => this.#respond(text),
      clocks: () => this.inquiries.all().flatMap(({ countdown }) => countdown ?? []),
    })
  }

  static async dial(way: Way, host: Host): Promise<Session> {
    const session = new Session(host)
    host.dialling(session)
    try {
      session.#words = await host.words()
    } catch (thrown) {
      host.closed(session)
      throw thrown
    }
    session.#link = await way.dial(session).catch((thrown) => {
      host.closed(session)
      throw thrown instanceof LinkError ? failureOf(thrown, { method: 'connect', repeatable: true }) : thrown
    })
    if (!session.#closing) return session
    // Nobody wanted to wait any longer.
    await session.#link.close()
    throw failureOf(closed, { method: 'connect', repeatable: true })
  }

  get link(): Link {
    if (!this.#link) throw new LinkError('closed', 'not connected yet', { sent: false })
    return this.#link
  }

  get revision(): Revision | undefined {
    return this.#spoken?.revision
  }

  get #voice(): Voice {
    if (!this.#spoken) throw new LinkError('closed', 'nothing has been said yet', { sent: false })
    return this.#spoken
  }

  get isOver(): boolean {
    return this.#over !== undefined || this.#retired
  }

  /** From now on this revision is spoken. */
  speak(revision: Revision): void {
    this.#spoken = new Voice(revision, this.#host.introduction(revision))
  }

  request(method: string, params?: JsonObject, options: Sending = none): Promise<JsonObject> {
    if (this.#over) return Promise.reject(failureOf(this.#over, { method, repeatable: true }))
    if (options.signal?.aborted) return Promise.reject(cancelled(method, options.signal.reason))
    const id = this.inquiries.nextId()
    let outgoing: Outgoing
    try {
      // What a caller gives may have no form in JSON. Nothing waits for an answer before there is a question.
      const capabilities = this.#capabilitiesOf(options)
      const { meta, mirrored, onProgress } = options
      outgoing = this.#voice.request(id, method, { params, meta, capabilities, mirrored, progress: onProgress !== undefined })
    } catch (thrown) {
      return Promise.reject(thrown)
    }
    const inquiry = this.inquiries.begin(id, method, isRepeatable(method, options))
    inquiry.scope = options.scope
    try {
      this.#watch(inquiry, options)
      options.began?.(id)
      this.link.send(outgoing)
    } catch (thrown) {
      // Nobody would hear of it later, when the connection ends.
      if (this.#end(inquiry)) inquiry.reject(thrown)
    }
    return inquiry.answer
  }

  notify(method: string, params?: JsonObject): void {
    if (!this.#over) this.link.send(this.#voice.notification(method, params))
  }

  hear(message: Parameters<Listener['hear']>[0], about?: number): void {
    if (message.kind === 'response') this.#settle(message.response)
    else if (message.kind === 'notification') this.#notified(message.notification, about)
    else this.#asked(message.request, about)
  }

  waits(id: number, isWaiting: boolean): void {
    this.inquiries.find(id)?.countdown?.heard(isWaiting ? 'asking' : 'answered')
  }

  lost(id: number, why: LinkError): void {
    const inquiry = this.inquiries.find(id)
    if (inquiry && this.#end(inquiry)) inquiry.reject(this.#words.failure(failureOf(why, inquiry)))
  }

  ended(why: LinkError): void {
    if (this.#over) return
    this.#over = why
    // That a server forgot the session says nothing about what it did with the requests that it had taken before.
    const broken = why.code === 'session-gone' ? new LinkError('broken', why.message, { sent: true, cause: why }) : why
    for (const inquiry of this.inquiries.all()) this.lost(inquiry.id, broken)
    this.#incoming.abandon(why)
    this.#host.ended(this, why)
  }

  warn(text: string): void {
    this.#host.warn(text)
  }

  /** Progress of a request that goes on after its answer, by the request's id. The returned function ends it. */
  hearOn(id: number, onProgress: NonNullable<RequestOptions['onProgress']>): () => void {
    const funnel = new ProgressFunnel(onProgress)
    this.#lasting.set(id, funnel)
    return () => {
      this.#lasting.delete(id)
      funnel.end()
    }
  }

  /** Takes no more requests; closes when those in flight are done. */
  retire(): void {
    this.#retired = true
    // Subscriptions would never be done.
    for (const { id, method } of this.inquiries.all()) if (method === endless) this.lost(id, retired)
    if (this.inquiries.size === 0) void this.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#over ??= closed
    for (const inquiry of this.inquiries.all()) this.lost(inquiry.id, this.#over)
    this.#incoming.abandon(this.#over)
    await this.#link?.close()
    this.#host.closed(this)
  }

  /** Ends a request that nobody waits for any more, in the way of the revision. */
  cancel(inquiry: Inquiry, why: Error, givingUp?: Sending['givingUp']): void {
    if (!this.#end(inquiry)) return
    inquiry.reject(why)
    const hangsUp = this.link.shape === 'posts' && this.revision?.http.hangingUpCancels === true
    if (givingUp === 'silently') this.#givenUp.add(inquiry.id)
    if (givingUp === 'closes') void this.close()
    else if (!hangsUp && givingUp !== 'silently')
      this.notify('notifications/cancelled', { requestId: inquiry.id, reason: why.message })
    this.link.drop(inquiry.id)
  }

  #watch(inquiry: Inquiry, { signal, onProgress, scope, endless: hasNoEnd, givingUp, idleMs, totalMs }: Sending): void {
    if (inquiry.method !== endless) vigil.begin()
    if (!hasNoEnd) {
      const limits = within(this.#host.limits, idleMs, totalMs)
      inquiry.countdown = new Countdown(limits, alarm, (limit) =>
        this.cancel(inquiry, timedOut(inquiry, limit, limits[limit]), givingUp),
      )
    }
    if (onProgress) inquiry.progress = new ProgressFunnel(onProgress, { each: scope?.attendance.eachProgress })
    if (signal) {
      const abort = () => this.cancel(inquiry, cancelled(inquiry.method, signal.reason), givingUp)
      signal.addEventListener('abort', abort, { once: true })
      inquiry.listens(signal, abort)
    }
  }

  #settle(response: Response): void {
    const inquiry = this.inquiries.find(response.id)
    if (!inquiry || !this.#end(inquiry)) this.#stray(response)
    else if ('result' in response) this.#answered(inquiry, response.result)
    else inquiry.reject(this.#failed(response.error))
  }

  #answered(inquiry: Inquiry, result: JsonObject): void {
    try {
      inquiry.resolve(this.#words.answer(inquiry.method, result, (text) => this.warn(text)))
    } catch (thrown) {
      inquiry.reject(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }

  #failed({ code, message, data }: ErrorObject): Error {
    return this.#words.failure(new RpcError(code, message, { data }))
  }

  #cleaned(request: Request): Request {
    const { method, params } = request
    if (!params) return request
    try {
      return { ...request, params: this.#words.question(method, params) }
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      this.warn(thrown.message)
      throw new RpcError(codes.internalError, thrown.message, { cause: thrown })
    }
  }

  /** A server from before discovery may answer the question about it too late, or with an error that names no request: neither is wrong. */
  #stray(response: Response): void {
    const { id } = response
    if (typeof id === 'number' && this.#givenUp.delete(id)) return
    const [only, ...more] = this.inquiries.all()
    const isAboutProbe =
      typeof id !== 'number' && typeof id !== 'string' && more.length === 0 && only?.method === 'server/discover'
    if (isAboutProbe && 'error' in response && this.#end(only)) only.reject(this.#failed(response.error))
    else this.warn(stray)
  }

  #end(inquiry: Inquiry): boolean {
    const ended = this.inquiries.end(inquiry)
    if (ended && inquiry.method !== endless) vigil.end()
    if (ended && this.#retired && !this.#over && this.inquiries.size === 0) void this.close()
    return ended
  }

  #arrival(about: number | undefined): Arrival {
    return { with: this.inquiries.find(about), underWay: () => this.inquiries.all() }
  }

  /** Where every request says what its sender can do, one that has somebody of its own to answer says so itself. */
  #capabilitiesOf({ scope }: Sending): ClientCapabilities | undefined {
    const { revision } = this.#voice
    if (!scope || revision.opening !== 'per-request') return undefined
    const asks = scope.attendance.asks ?? asksOf(scope.attendance.answers)
    if (!asks) return undefined
    const declared = this.#declaredBy.get(asks)
    if (declared) return declared
    const kinds = JSON.stringify(asks)
    const known = this.#declared.get(kinds) ?? this.#host.introduction(revision, asks).capabilities
    this.#declared.set(kinds, known)
    if (Object.isFrozen(asks)) this.#declaredBy.set(asks, known)
    return known
  }

  /** What comes after a notification whose long texts are being searched waits for it, because the order has a meaning. */
  #notified(came: Notification, about: number | undefined): void {
    const arrival = this.#arrival(about)
    const deliver = () => {
      const params = came.params && this.#words.notice(came.method, came.params)
      if (!(params instanceof Promise)) return this.#deliver(came, params, arrival)
      return params.then((cleaned) => this.#deliver(came, cleaned, arrival))
    }
    if (came.method === 'notifications/cancelled') this.#withdrawn(came.params)
    else this.#notices.take(deliver, came.params)
  }

  #deliver(came: Notification, params: JsonObject | undefined, arrival: Arrival): void {
    const notification = params === came.params ? came : { ...came, ...(params && { params }) }
    if (came.method === 'notifications/progress') this.#progressed(params)
    else this.#host.notified(notification, this, arrival)
  }

  /** A question of the server's, or a subscription of ours that it ends. 2026-07-28/basic/patterns/cancellation */
  #withdrawn({ requestId, reason }: JsonObject = {}): void {
    const inquiry = this.inquiries.find(requestId)
    if (inquiry?.method === endless) this.#subscriptionEnded(inquiry, withdrawn('a subscription', reason))
    else this.#incoming.withdraw(requestId, withdrawn('its question', reason))
  }

  #subscriptionEnded(inquiry: Inquiry, why: Error): void {
    this.warn(why.message)
    if (this.#end(inquiry)) inquiry.reject(why)
  }

  #progressed(params: JsonObject | undefined): void {
    const token = params?.progressToken
    const inquiry = this.inquiries.find(token)
    if (!inquiry?.progress) return void (typeof token === 'number' && this.#lasting.get(token)?.take(params))
    inquiry.countdown?.heard('progress')
    inquiry.progress.take(params)
  }

  #respond(text: string): void {
    if (!this.#over) this.link.send({ text, revision: this.revision })
  }

  #asked(request: Request, about: number | undefined): void {
    // spec 2026-07-28, basic/index#message-directions: servers of that kind send no requests, and clients no responses.
    if (this.revision?.opening === 'per-request')
      this.warn(
        `The server sent a request ("${printable(request.method)}"), which this revision does not have; it was passed over`,
      )
    else this.#incoming.take(request, about)
  }
}

/** Whoever is there answers. */
const asksOf = (answers: Answering | undefined): Asks | undefined =>
  answers && {
    form: answers.form !== undefined,
    page: answers.page !== undefined,
    model: answers.model !== undefined,
    roots: answers.roots !== undefined,
  }

/** Most requests have no limits of their own. */
const within = (usual: TimeLimits, idleMs = usual.idleMs, totalMs = usual.totalMs): TimeLimits =>
  idleMs === usual.idleMs && totalMs === usual.totalMs ? usual : { idleMs, totalMs }
