// A server, over however many sessions it takes: opened when needed, renewed when lost.
import type { JsonObject } from '../json.js'
import type { Notification, Request } from '../jsonrpc/message.js'
import { LinkError, type Way } from '../peer/link.js'
import type { Editions } from '../revisions/editions.js'
import type { Revision } from '../revisions/revision.js'
import { aboutServer } from './about.js'
import { Circuit } from './circuit.js'
import type { ServerAbout } from './client.js'
import { isAtTheDoor, isOfAnotherEra } from './doubts.js'
import type { Introduction } from './encode.js'
import { CallFailure } from './errors.js'
import { open } from './opening.js'
import type { ClientLimits } from './options.js'
import type { About, Host, Sending, Session } from './session.js'
import type { Verdicts } from './verdicts.js'

export type ConnectionOptions = {
  readonly way: Way
  readonly editions: Editions
  readonly limits: ClientLimits
  readonly discover: boolean
  readonly verdicts: Verdicts
  readonly introduction: (revision: Revision) => Introduction
  readonly asked: (request: Request, about: About) => Promise<JsonObject>
  readonly notified: (notification: Notification, session: Session) => void
  /** A new session has begun: nothing that was known from the one before need be true. */
  readonly began: (session: Session) => void
  readonly warn: (text: string) => void
}

/** What a request speaks of went with an earlier session. */
export class SessionOver extends CallFailure {
  constructor(method: string) {
    super('disconnected', `${method} belongs to a session that is over`)
  }
}

/** Reasons to send a request once more. */
type Again = 'another era' | 'session gone' | 'broken'

export class Connection implements Host {
  readonly limits: ClientLimits
  readonly #options: ConnectionOptions
  readonly #circuit = new Circuit()
  #opening: Promise<Session> | undefined
  #session: Session | undefined
  #about: ServerAbout | undefined
  /** The era was known from before and has not shown itself yet. */
  #assumed = false
  #closed = false
  #opened = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.limits = options.limits
  }

  /** What the server said when the latest session began. */
  get about(): ServerAbout {
    if (!this.#about) throw new CallFailure('closed', 'Not connected yet')
    return this.#about
  }

  get revision(): Revision {
    const revision = this.#session?.revision
    if (!revision) throw new CallFailure('closed', 'Not connected')
    return revision
  }

  /** The number of the latest session, in the editions in which a server may keep something for one. */
  get sessionNumber(): number | undefined {
    return this.#session?.revision?.opening === 'per-request' ? undefined : this.#opened
  }

  /** The session that is open now, if there is one. */
  get current(): Session | undefined {
    return this.#session?.isOver ? undefined : this.#session
  }

  session(): Promise<Session> {
    if (this.#closed) return Promise.reject(new CallFailure('closed', `The connection to ${this.#options.way.name} was closed`))
    const { current } = this
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Sends a request, and once more for each reason that there may be: each of them can come after another. */
  async request(
    method: string,
    params?: JsonObject,
    sending?: Sending & { readonly after?: readonly Again[] },
  ): Promise<JsonObject> {
    const session = this.current ?? (await this.session())
    if (sending?.within !== undefined && sending.within !== this.#opened) throw new SessionOver(method)
    try {
      const result = await session.request(method, params, sending)
      if (this.#assumed) this.#shown()
      return result
    } catch (thrown) {
      const again = this.#another(thrown, session, sending?.repeatable ?? method !== 'tools/call')
      if (!again || sending?.after?.includes(again)) throw thrown
      return this.request(method, params, { ...sending, after: [...(sending?.after ?? []), again] })
    }
  }

  introduction(revision: Revision): Introduction {
    return this.#options.introduction(revision)
  }

  asked(request: Request, about: About): Promise<JsonObject> {
    return this.#options.asked(request, about)
  }

  notified(notification: Notification, session: Session): void {
    this.#options.notified(notification, session)
  }

  ended(session: Session): void {
    if (session !== this.#session) return
    this.#circuit.ended()
    this.#session = undefined
  }

  warn(text: string): void {
    this.#options.warn(`${this.#options.way.name}: ${text}`)
  }

  async close(): Promise<void> {
    this.#closed = true
    const opening = this.#opening?.catch(() => undefined)
    await this.#session?.close()
    await (await opening)?.close()
  }

  async #open(): Promise<Session> {
    const { way, verdicts } = this.#options
    this.#circuit.check(way.name)
    try {
      return await this.#openWith(verdicts.get(way.key))
    } catch (thrown) {
      this.#circuit.failed()
      throw thrown
    }
  }

  async #openWith(known: ReturnType<Verdicts['get']>): Promise<Session> {
    const { way, editions, discover, verdicts, began } = this.#options
    const { session, said, assumed, older } = await open(way, this, { editions, known, discover }).catch(async (thrown) => {
      if (!known || isAtTheDoor(thrown)) throw thrown
      verdicts.delete(way.key)
      return open(way, this, { editions, known: undefined, discover })
    })
    const revision = session.revision
    if (!revision) throw new CallFailure('closed', 'The session ended while it was being opened')
    this.#session = session
    this.#opened++
    this.#assumed = assumed
    this.#about = aboutServer(revision, said)
    this.#circuit.opened()
    if (!assumed) {
      this.#circuit.worked()
      verdicts.set(way.key, {
        revision: revision.version,
        at: Date.now(),
        ...(revision.opening === 'per-request' && said && { discovered: said }),
        ...(older && { older }),
      })
    }
    if (this.#closed) await session.close()
    began(session)
    return session
  }

  #shown(): void {
    this.#assumed = false
    this.#circuit.worked()
  }

  /** Why the same request may be sent once more: the server cannot have done it, or doing it twice is harmless. */
  #another(thrown: unknown, session: Session, repeatable: boolean): Again | undefined {
    if (this.#closed) return undefined
    if (this.#assumed && session === this.#session && isOfAnotherEra(thrown)) {
      this.#options.verdicts.delete(this.#options.way.key)
      this.#leave(session)
      return 'another era'
    }
    // What a transport said is the cause, whether the server put it into words of its own or not.
    const why = thrown instanceof Error ? thrown.cause : undefined
    if (!(why instanceof LinkError)) return undefined
    if (why.code === 'session-gone') {
      this.#leave(session)
      return 'session gone'
    }
    return repeatable && (why.code === 'broken' || why.code === 'exited') ? 'broken' : undefined
  }

  #leave(session: Session): void {
    if (this.#session === session) this.#session = undefined
    session.retire()
  }
}
