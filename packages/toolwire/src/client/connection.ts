// A server, over however many sessions it takes: opened when needed, renewed when lost.
import type { JsonObject } from '../json.js'
import type { Notification, Request } from '../jsonrpc/message.js'
import type { LinkError } from '../peer/link.js'
import type { Revision } from '../revisions/revision.js'
import { aboutServer } from './about.js'
import { Acquaintance, type AcquaintanceOptions } from './acquaintance.js'
import { Circuit } from './circuit.js'
import type { Asks, ServerAbout } from './client.js'
import { isDoubtful, isOfAnotherEra, linkErrorIn } from './doubts.js'
import type { Introduction } from './encode.js'
import { CallFailure, SessionOver } from './errors.js'
import { capabilitiesIn, type Opened } from './opening.js'
import type { ClientLimits } from './options.js'
import { type Patience, waitFor } from './patience.js'
import { isRepeatable } from './repeatable.js'
import type { Arrival } from './scopes.js'
import type { About, Host, Sending, Session } from './session.js'
import { asTheyCome, type Words } from './words.js'

export type ConnectionOptions = AcquaintanceOptions & {
  readonly limits: ClientLimits
  readonly introduction: (revision: Revision, asks?: Asks) => Introduction
  readonly asked: (request: Request, about: About) => Promise<JsonObject>
  readonly notified: (notification: Notification, session: Session, arrival: Arrival) => void
  /** A new session has begun: nothing that was known from the one before need be true. */
  readonly began: (session: Session) => void
  /** The session has ended by itself. */
  readonly ended: (why: LinkError) => void
  /** The server has forgotten the session, and nobody need have asked for another one. */
  readonly forgotten: () => void
  readonly warn: (text: string) => void
  /** What cleans everything that the server says. */
  readonly words: () => Promise<Words>
}

/** Reasons to send a request once more. */
type Again = 'another era' | 'session gone' | 'broken'
type SentAgain = Sending & { readonly after?: readonly Again[] }

export class Connection implements Host {
  readonly limits: ClientLimits
  readonly #options: ConnectionOptions
  readonly #circuit = new Circuit()
  readonly #server: Acquaintance
  /** All of which something is left: those too that are being opened, and those that only wait for what is in flight. */
  readonly #sessions = new Set<Session>()
  /** Rejects when it is closed, for those who still wait for a session then. */
  readonly #end: Promise<never>
  /** Which edition the result was written in, where that may not be the latest one. */
  readonly #late = new WeakMap<JsonObject, Revision>()
  #opening: Promise<Session> | undefined
  #session: Session | undefined
  #revision: Revision | undefined
  #about: ServerAbout | undefined
  #opened = 0
  #words: Words = asTheyCome
  #closed: CallFailure | undefined
  #stopWaiting!: (why: CallFailure) => void

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.limits = options.limits
    this.#server = new Acquaintance(options)
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

  /** The number of the latest session, in the editions in which a server may keep something for one. */
  get sessionNumber(): number | undefined {
    return this.#revision?.opening === 'per-request' ? undefined : this.#opened
  }

  /** The session that is open now, if there is one. */
  get current(): Session | undefined {
    return this.#session?.isOver ? undefined : this.#session
  }

  /** The number of the session that is open now: a request `within` it is sent in no other. */
  get number(): number | undefined {
    return this.current?.number
  }

  /** The session that is open, or a new one; each who waits for it may stop waiting. */
  session(patience: Patience = {}): Promise<Session> {
    const { current } = this
    if (this.#closed) return Promise.reject(this.#closed)
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return waitFor(this.#opening, patience, 'connect')
  }

  /** Sends a request, and once more for each reason that there may be: each of them can come after another. */
  request(method: string, params?: JsonObject, sending: SentAgain = {}): Promise<JsonObject> {
    const { current } = this
    if (sending.within !== undefined && sending.within !== this.number) return Promise.reject(new SessionOver(method))
    if (current) return this.#over(current, method, params, sending)
    return this.session(sending).then((session) => this.#over(session, method, params, sending))
  }

  #over(session: Session, method: string, params: JsonObject | undefined, sending: SentAgain): Promise<JsonObject> {
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

  introduction(revision: Revision, asks?: Asks): Introduction {
    return this.#options.introduction(revision, asks)
  }

  asked(request: Request, about: About): Promise<JsonObject> {
    return this.#options.asked(request, about)
  }

  notified(notification: Notification, session: Session, arrival: Arrival): void {
    this.#options.notified(notification, session, arrival)
  }

  async words(): Promise<Words> {
    this.#words = await this.#options.words()
    return this.#words
  }

  dialling(session: Session): void {
    if (this.#closed) throw this.#closed
    this.#sessions.add(session)
  }

  closed(session: Session): void {
    this.#sessions.delete(session)
  }

  ended(session: Session, why: LinkError): void {
    this.#sessions.delete(session)
    if (session !== this.#session) return
    this.#circuit.ended()
    this.#session = undefined
    if (why.code === 'session-gone') this.#options.forgotten()
    this.#options.ended(why)
  }

  warn(text: string): void {
    this.#options.warn(`${this.#options.way.name}: ${text}`)
  }

  /** Ends all that there is; a session that is being opened is not waited for. */
  async close(): Promise<void> {
    this.#closed = new CallFailure('closed', `The connection to ${this.#options.way.name} was closed`)
    this.#stopWaiting(this.#closed)
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  async #open(): Promise<Session> {
    this.#circuit.check(this.#options.way.name)
    try {
      const opening = this.#server.open(this, () => this.#closed === undefined)
      return this.#begin(await Promise.race([opening, this.#end]))
    } catch (thrown) {
      if (!this.#closed) this.#circuit.failed()
      throw thrown
    }
  }

  #begin(opened: Opened): Session {
    const { session } = opened
    const { revision } = session
    if (this.#closed) throw this.#closed
    if (!revision) throw new CallFailure('closed', 'The session ended while it was being opened')
    session.number = ++this.#opened
    this.#session = session
    this.#revision = revision
    this.#about = aboutServer(revision, opened.said)
    this.#circuit.opened()
    if (session.era === 'shown') {
      this.#circuit.worked()
      this.#server.learnt(revision, opened)
    }
    this.#options.began(session)
    return session
  }

  #answered(session: Session, method: string, result: JsonObject): void {
    const { revision } = session
    if (session !== this.#session) {
      if (revision) this.#late.set(result, revision)
    } else if (session.era === 'assumed') {
      this.#circuit.worked()
      if (revision && !this.#server.hasTold)
        this.#introduced(session, revision, method === 'server/discover' ? result : this.#introductionIn(result))
    }
    session.era = 'shown'
  }

  #introductionIn({ _meta }: JsonObject): JsonObject {
    if (_meta === undefined) return {}
    const said = this.#words.answer('server/discover', { _meta }, (text) => this.warn(text))
    // What introduces itself with texts so long that they take turns is not introduced.
    return said instanceof Promise ? {} : said
  }

  /** A server that was not asked who it is says so with its first answer. */
  #introduced(session: Session, revision: Revision, said: JsonObject): void {
    this.#about = aboutServer(revision, said)
    session.capabilities ??= capabilitiesIn(said)
  }

  /** Why the same request may be sent once more: the server cannot have done it, or doing it twice is harmless. */
  #another(thrown: unknown, session: Session, repeatable: boolean): Again | undefined {
    if (this.#closed) return undefined
    const why = linkErrorIn(thrown)
    if (why?.code === 'session-gone') {
      this.#leave(session)
      this.#options.forgotten()
      return 'session gone'
    }
    // An HTTP connection breaks for many reasons; a pipe, when the program at its other end does not like what it hears.
    const isMisfortune = why?.code === 'broken' && session.link.shape === 'posts'
    if (session.era !== 'shown' && this.#server.hasOtherEras && isDoubtful(thrown) && !isMisfortune) {
      this.#doubt(session)
      const isLate = thrown instanceof CallFailure && thrown.code === 'timed_out'
      return isOfAnotherEra(thrown) || (repeatable && !isLate) ? 'another era' : undefined
    }
    return repeatable && (why?.code === 'broken' || why?.code === 'exited') ? 'broken' : undefined
  }

  /** Once for each session: what others find out later is not about what has been learnt since. */
  #doubt(session: Session): void {
    if (session.era === 'mistaken') return
    session.era = 'mistaken'
    this.#server.forget()
    this.#leave(session)
  }

  #leave(session: Session): void {
    if (this.#session === session) this.#session = undefined
    session.retire()
  }
}
