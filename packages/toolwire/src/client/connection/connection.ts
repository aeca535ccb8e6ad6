// A connection to one server. It opens a session when one is needed, and a new one when that is lost.
import { canonicalJson, type JsonObject } from '../../json.js'
import type { TransportError } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { ServerAbout } from '../client.js'
import { CallFailure, SessionEnded } from '../errors.js'
import type { ClientLimits } from '../options.js'
import { type WaitOptions, waitFor } from '../wait-for.js'
import { circuitBreaker } from './circuit-breaker.js'
import { probeOptions } from './discovery.js'
import { discoverEveryMs, type NegotiatorOptions, negotiator } from './negotiator.js'
import { capabilitiesIn, type OpenedSession } from './open-session.js'
import { isRepeatable } from './repeatable.js'
import { isRevisionMismatch, mayBeRevisionMismatch, transportErrorIn } from './revision-mismatch.js'
import { readServerAbout } from './server-about.js'
import type { ClientSession, SendOptions, SessionHost, SessionOptions } from './session.js'

type ConnectionOptions = NegotiatorOptions &
  SessionOptions & {
    /** Called for each new session. State from the session before may be outdated. */
    readonly began: (session: ClientSession) => void
    /** Called when the current session ends by itself. */
    readonly ended: (why: TransportError) => void
    /** Called when a request finds that the server has forgotten the session. */
    readonly forgotten: () => void
    /** Called when the server offers other capabilities than before in the same session. */
    readonly offersChanged: () => void
    readonly warn: (text: string) => void
  }

type RetryReason = 'other revision' | 'session gone' | 'broken'
type RetriedSend = SendOptions & { readonly after?: readonly RetryReason[] }

export class Connection implements SessionHost {
  readonly options: ConnectionOptions
  readonly limits: ClientLimits
  readonly #circuit: ReturnType<typeof circuitBreaker>
  readonly #server: ReturnType<typeof negotiator>
  /** All sessions that are not closed, including those being opened and those that only finish pending requests. */
  readonly #sessions = new Set<ClientSession>()
  /** The revisions of results that came in an earlier session. */
  readonly #earlierRevisions = new WeakMap<JsonObject, Revision>()
  #opening: Promise<ClientSession> | undefined
  #session: ClientSession | undefined
  #revision: Revision | undefined
  #about: ServerAbout | undefined
  #opened = 0
  #closed: CallFailure | undefined
  /** The time, as of `performance.now()`, from which the server is asked to describe itself again. */
  #staleAt = Number.POSITIVE_INFINITY
  #discovering: Promise<void> | undefined
  #stopOpening: ((why: CallFailure) => void) | undefined

  constructor(options: ConnectionOptions) {
    this.options = options
    this.limits = options.limits
    this.#circuit = circuitBreaker(options.endpoint.name)
    this.#server = negotiator(options)
  }

  /** The server's description of itself in the latest session. */
  get about(): ServerAbout {
    if (!this.#about) throw new CallFailure('closed', 'Not connected yet')
    return this.#about
  }

  /** The revision of the latest session, even if that has ended. */
  get revision(): Revision {
    if (!this.#revision) throw new CallFailure('closed', 'Not connected yet')
    return this.#revision
  }

  /** The revision of a result, which may have come in an earlier session. */
  revisionOf(result: JsonObject): Revision {
    return this.#earlierRevisions.get(result) ?? this.revision
  }

  /** The number of the latest session; undefined in per-request revisions, which have no sessions. */
  get sessionNumber(): number | undefined {
    return this.#revision?.style === 'per-request' ? undefined : this.#opened
  }

  get current(): ClientSession | undefined {
    return this.#session?.isOver ? undefined : this.#session
  }

  /** True if the server offers the capability, or if its capabilities are not known. */
  offers(capability: string): boolean {
    const offered = this.current?.capabilities
    return offered === undefined || offered[capability] !== undefined
  }

  /** Like `offers`, but a server whose description has expired is asked again before a no. */
  async offersNow(capability: string, patience: WaitOptions = {}): Promise<boolean> {
    if (this.offers(capability)) return true
    if (performance.now() >= this.#staleAt) this.#discoverAgain()
    if (this.#discovering) await waitFor(this.#discovering, patience, 'server/discover')
    return this.offers(capability)
  }

  /** Returns the open session, or opens one. Each caller may stop waiting on its own. */
  session(patience: WaitOptions = {}): Promise<ClientSession> {
    const { current } = this
    if (this.#closed) return Promise.reject(this.#closed)
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return waitFor(this.#opening, patience, 'connect')
  }

  /** Sends a request, and retries it at most once for each reason. */
  request(method: string, params?: JsonObject, sending: RetriedSend = {}): Promise<JsonObject> {
    const { current } = this
    if (sending.sessionNumber !== undefined && sending.sessionNumber !== current?.number)
      return Promise.reject(new SessionEnded(method))
    if (current) {
      if (performance.now() >= this.#staleAt) this.#discoverAgain()
      return this.#requestOver(current, method, params, sending)
    }
    return this.session(sending).then((session) => this.#requestOver(session, method, params, sending))
  }

  #requestOver(
    session: ClientSession,
    method: string,
    params: JsonObject | undefined,
    sending: RetriedSend,
  ): Promise<JsonObject> {
    return session.request(method, params, sending).then(
      (result) => {
        this.#answered(session, method, result)
        return result
      },
      (thrown) => {
        const { after = [] } = sending
        const reason = this.#retryReason(thrown, session, isRepeatable(method, sending))
        if (!reason || after.includes(reason)) throw thrown
        return this.request(method, params, { ...sending, after: [...after, reason] })
      },
    )
  }

  /** Asks the server to describe itself again, once at a time. Without an answer, the earlier one stays in use. */
  #discoverAgain(): void {
    const { current } = this
    if (!current || this.#discovering) return
    this.#staleAt = performance.now() + discoverEveryMs
    const over = () => {
      this.#discovering = undefined
    }
    const sending = probeOptions(current)
    this.#discovering = this.#requestOver(current, 'server/discover', {}, sending).then(over, over)
  }

  dialling(session: ClientSession): void {
    if (this.#closed) throw this.#closed
    this.#sessions.add(session)
  }

  closed(session: ClientSession): void {
    this.#sessions.delete(session)
  }

  ended(session: ClientSession, why: TransportError): void {
    this.#sessions.delete(session)
    if (session !== this.#session) return
    this.#circuit.ended()
    this.#session = undefined
    this.options.ended(why)
  }

  warn(text: string): void {
    this.options.warn(`${this.options.endpoint.name}: ${text}`)
  }

  /** Closes all sessions, without waiting for one that is being opened. */
  async close(): Promise<void> {
    this.#closed = new CallFailure('closed', `The connection to ${this.options.endpoint.name} was closed`)
    this.#stopOpening?.(this.#closed)
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  async #open(): Promise<ClientSession> {
    this.#circuit.check()
    try {
      const opening = this.#server.open(this, () => this.#closed === undefined)
      // A promise for each attempt: one for all would keep every session until the connection is closed.
      const closing = new Promise<never>((_, reject) => {
        this.#stopOpening = reject
      })
      return this.#begin(await Promise.race([opening, closing]))
    } catch (thrown) {
      if (!this.#closed) this.#circuit.failed()
      throw thrown
    } finally {
      this.#stopOpening = undefined
    }
  }

  #begin(opened: OpenedSession): ClientSession {
    const { session } = opened
    const { revision } = session
    if (this.#closed) throw this.#closed
    if (!revision) throw new CallFailure('closed', 'The session ended while it was being opened')
    session.number = ++this.#opened
    this.#session = session
    this.#revision = revision
    this.#about = readServerAbout(revision, opened.said)
    this.#circuit.opened()
    if (session.revisionEvidence === 'shown') {
      this.#circuit.succeeded()
      this.#server.remember(revision, opened)
    }
    // Unknown capabilities refuse nothing, so they need not be asked for.
    this.#staleAt = session.capabilities ? this.#server.staleAt() : Number.POSITIVE_INFINITY
    this.options.began(session)
    return session
  }

  #answered(session: ClientSession, method: string, result: JsonObject): void {
    const { revision } = session
    if (session !== this.#session) {
      if (revision) this.#earlierRevisions.set(result, revision)
    } else {
      const isAssumed = session.revisionEvidence === 'assumed'
      if (isAssumed) this.#circuit.succeeded()
      if (method === 'server/discover') this.#described(session, result)
      // A server that was not asked to describe itself does so in its first answer.
      else if (isAssumed && revision && !this.#server.isDiscovered())
        this.#about = readServerAbout(revision, session.introductionIn(result))
    }
    session.revisionEvidence = 'shown'
  }

  #described(session: ClientSession, said: JsonObject): void {
    const { revision, capabilities: before } = session
    if (revision?.style !== 'per-request' || !Array.isArray(said.supportedVersions)) return
    this.#about = readServerAbout(revision, said)
    session.capabilities = capabilitiesIn(said)
    this.#server.remember(revision, { said, older: false })
    this.#staleAt = this.#server.staleAt()
    if (before && canonicalJson(before) !== canonicalJson(session.capabilities ?? {})) this.options.offersChanged()
  }

  /** Returns why the request may be sent again: the server cannot have carried it out, or repeating it is harmless. */
  #retryReason(thrown: unknown, session: ClientSession, repeatable: boolean): RetryReason | undefined {
    if (this.#closed) return undefined
    const why = transportErrorIn(thrown)
    if (why?.code === 'session-gone') {
      this.#retireSession(session)
      this.options.forgotten()
      return 'session gone'
    }
    // HTTP connections break for many reasons. A pipe usually breaks because its program did not understand a message.
    const isMisfortune = why?.code === 'broken' && session.transport.shape === 'posts'
    if (session.revisionEvidence !== 'shown' && this.#server.mayBeOtherStyle && mayBeRevisionMismatch(thrown) && !isMisfortune) {
      this.#rejectAssumedRevision(session)
      const isLate = thrown instanceof CallFailure && thrown.code === 'timed_out'
      return isRevisionMismatch(thrown) || (repeatable && !isLate) ? 'other revision' : undefined
    }
    return repeatable && (why?.code === 'broken' || why?.code === 'exited') ? 'broken' : undefined
  }

  /** Discards the assumed revision, once per session: later failures in the same session say nothing about a revision learnt since. */
  #rejectAssumedRevision(session: ClientSession): void {
    if (session.revisionEvidence === 'mistaken') return
    session.revisionEvidence = 'mistaken'
    this.#server.forget()
    this.#retireSession(session)
  }

  #retireSession(session: ClientSession): void {
    if (this.#session === session) this.#session = undefined
    session.retire()
  }
}
