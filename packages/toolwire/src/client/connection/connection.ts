// A server, over however many sessions it takes: opened when needed, renewed when lost.
import type { JsonObject } from '../../json.js'
import type { TransportError } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { ServerAbout } from '../client.js'
import { CallFailure, SessionEnded } from '../errors.js'
import type { ClientLimits } from '../options.js'
import { type WaitOptions, waitFor } from '../wait-for.js'
import { circuitBreaker } from './circuit-breaker.js'
import { type NegotiatorOptions, negotiator } from './negotiator.js'
import { capabilitiesIn, type OpenedSession } from './open-session.js'
import { isRepeatable } from './repeatable.js'
import { isRevisionMismatch, mayBeRevisionMismatch, transportErrorIn } from './revision-mismatch.js'
import { readServerAbout } from './server-about.js'
import type { ClientSession, SendOptions, SessionHost, SessionOptions } from './session.js'

type ConnectionOptions = NegotiatorOptions &
  SessionOptions & {
    /** A new session has begun: nothing that was known from the one before need be true. */
    readonly began: (session: ClientSession) => void
    /** The session has ended by itself. */
    readonly ended: (why: TransportError) => void
    /** The server has forgotten the session, and nobody need have asked for another one. */
    readonly forgotten: () => void
    readonly warn: (text: string) => void
  }

/** Reasons to send a request once more. */
type RetryReason = 'another era' | 'session gone' | 'broken'
type RetriedSend = SendOptions & { readonly after?: readonly RetryReason[] }

export class Connection implements SessionHost {
  readonly options: ConnectionOptions
  readonly limits: ClientLimits
  readonly #circuit: ReturnType<typeof circuitBreaker>
  readonly #server: ReturnType<typeof negotiator>
  /** All of which something is left: those too that are being opened, and those that only wait for what is in flight. */
  readonly #sessions = new Set<ClientSession>()
  /** Rejects when it is closed, for those who still wait for a session then. */
  readonly #end: Promise<never>
  /** Which revision the result was written in, where that may not be the latest one. */
  readonly #late = new WeakMap<JsonObject, Revision>()
  #opening: Promise<ClientSession> | undefined
  #session: ClientSession | undefined
  #revision: Revision | undefined
  #about: ServerAbout | undefined
  #opened = 0
  #closed: CallFailure | undefined
  #stopWaiting!: (why: CallFailure) => void

  constructor(options: ConnectionOptions) {
    this.options = options
    this.limits = options.limits
    this.#circuit = circuitBreaker(options.endpoint.name)
    this.#server = negotiator(options)
    this.#end = new Promise((_, reject) => {
      this.#stopWaiting = reject
    })
    this.#end.catch(() => undefined) // mostly nobody waits
  }

  /** What the server said when the latest session began. */
  get about(): ServerAbout {
    if (!this.#about) throw new CallFailure('closed', 'Not connected yet')
    return this.#about
  }

  /** What is spoken in the latest session, whether that is over or not. */
  get revision(): Revision {
    if (!this.#revision) throw new CallFailure('closed', 'Not connected yet')
    return this.#revision
  }

  /** What the result is written in: it may have come in a session that was left for another one. */
  revisionOf(result: JsonObject): Revision {
    return this.#late.get(result) ?? this.revision
  }

  /** The number of the latest session, in the revisions in which a server may keep something for one. */
  get sessionNumber(): number | undefined {
    return this.#revision?.style === 'per-request' ? undefined : this.#opened
  }

  /** The session that is open now, if there is one. */
  get current(): ClientSession | undefined {
    return this.#session?.isOver ? undefined : this.#session
  }

  /** Whether the server offers this; where nobody has asked it, it may be tried. */
  offers(capability: string): boolean {
    const offered = this.current?.capabilities
    return offered === undefined || offered[capability] !== undefined
  }

  /** The session that is open, or a new one; each who waits for it may stop waiting. */
  session(patience: WaitOptions = {}): Promise<ClientSession> {
    const { current } = this
    if (this.#closed) return Promise.reject(this.#closed)
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return waitFor(this.#opening, patience, 'connect')
  }

  /** Sends a request, and once more for each reason that there may be: each of them can come after another. */
  request(method: string, params?: JsonObject, sending: RetriedSend = {}): Promise<JsonObject> {
    const { current } = this
    if (sending.sessionNumber !== undefined && sending.sessionNumber !== current?.number)
      return Promise.reject(new SessionEnded(method))
    if (current) return this.#over(current, method, params, sending)
    return this.session(sending).then((session) => this.#over(session, method, params, sending))
  }

  #over(session: ClientSession, method: string, params: JsonObject | undefined, sending: RetriedSend): Promise<JsonObject> {
    return session.request(method, params, sending).then(
      (result) => {
        this.#answered(session, method, result)
        return result
      },
      (thrown) => {
        const { after = [] } = sending
        const again = this.#another(thrown, session, isRepeatable(method, sending))
        if (!again || after.includes(again)) throw thrown
        return this.request(method, params, { ...sending, after: [...after, again] })
      },
    )
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
    if (why.code === 'session-gone') this.options.forgotten()
    this.options.ended(why)
  }

  warn(text: string): void {
    this.options.warn(`${this.options.endpoint.name}: ${text}`)
  }

  /** Ends all that there is; a session that is being opened is not waited for. */
  async close(): Promise<void> {
    this.#closed = new CallFailure('closed', `The connection to ${this.options.endpoint.name} was closed`)
    this.#stopWaiting(this.#closed)
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  async #open(): Promise<ClientSession> {
    this.#circuit.check()
    try {
      const opening = this.#server.open(this, () => this.#closed === undefined)
      return this.#begin(await Promise.race([opening, this.#end]))
    } catch (thrown) {
      if (!this.#closed) this.#circuit.failed()
      throw thrown
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
    this.options.began(session)
    return session
  }

  #answered(session: ClientSession, method: string, result: JsonObject): void {
    const { revision } = session
    if (session !== this.#session) {
      if (revision) this.#late.set(result, revision)
    } else if (session.revisionEvidence === 'assumed') {
      this.#circuit.succeeded()
      if (revision && !this.#server.isDiscovered()) {
        // A server that was not asked who it is says so with its first answer.
        const said = method === 'server/discover' ? result : session.introductionIn(result)
        this.#about = readServerAbout(revision, said)
        session.capabilities ??= capabilitiesIn(said)
      }
    }
    session.revisionEvidence = 'shown'
  }

  /** Why the same request may be sent once more: the server cannot have done it, or doing it twice is harmless. */
  #another(thrown: unknown, session: ClientSession, repeatable: boolean): RetryReason | undefined {
    if (this.#closed) return undefined
    const why = transportErrorIn(thrown)
    if (why?.code === 'session-gone') {
      this.#leave(session)
      this.options.forgotten()
      return 'session gone'
    }
    // An HTTP connection breaks for many reasons; a pipe, when the program at its other end does not like what it hears.
    const isMisfortune = why?.code === 'broken' && session.link.shape === 'posts'
    if (session.revisionEvidence !== 'shown' && this.#server.mayBeOtherStyle && mayBeRevisionMismatch(thrown) && !isMisfortune) {
      this.#doubt(session)
      const isLate = thrown instanceof CallFailure && thrown.code === 'timed_out'
      return isRevisionMismatch(thrown) || (repeatable && !isLate) ? 'another era' : undefined
    }
    return repeatable && (why?.code === 'broken' || why?.code === 'exited') ? 'broken' : undefined
  }

  /** Once for each session: what others find out later is not about what has been learnt since. */
  #doubt(session: ClientSession): void {
    if (session.revisionEvidence === 'mistaken') return
    session.revisionEvidence = 'mistaken'
    this.#server.forget()
    this.#leave(session)
  }

  #leave(session: ClientSession): void {
    if (this.#session === session) this.#session = undefined
    session.retire()
  }
}
