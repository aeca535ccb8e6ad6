import { BoundedMap } from '../../../../bounds/bounded-map.js'
import type { Application } from '../../../../peer/application.js'
import type { PeerInfo } from '../../../../peer/conversation.js'
import type { Caller } from '../../../../tools/caller.js'
import type { StreamRules } from '../streams/event-stream.js'
import { HttpSession } from './http-session.js'

/** A header has to hold it, beside all the others. */
const longestToken = 8_192
const longestPart = 2_048
const restMs = 60_000

/** The sessions open here, by their tokens; those that have not been used for long are opened again when they are. */
export class HttpSessions {
  readonly #app: Application
  readonly #rules: StreamRules
  /** Least recently used first. */
  readonly #open = new Map<string, HttpSession>()
  readonly #ended: BoundedMap<string, true>

  constructor(app: Application, rules: StreamRules) {
    this.#app = app
    this.#rules = rules
    this.#ended = new BoundedMap(rules.limits.sessions)
  }

  /** The caller's own session of that token. Having the token is not enough: it names a session, it does not prove who asks. */
  find(token: string, caller: Caller): HttpSession | undefined | Promise<HttpSession | undefined> {
    const session = this.#open.get(token)
    if (!session) return token.length > longestToken ? undefined : this.#reopen(token, caller)
    return this.#claim(session, caller)
  }

  /** Makes the token of a session whose handshake is done. */
  async admit(session: HttpSession): Promise<string> {
    const { peerInfo } = session
    if (!peerInfo) throw new Error('A session needs its handshake first')
    session.token = await this.#app.sealer.seal('session', sealedOf(session, peerInfo))
    this.#keep(session)
    return session.token
  }

  end(session: HttpSession): void {
    this.#ended.set(session.id, true)
    this.#drop(session)
  }

  /** Ends what is open here; the tokens still hold elsewhere. */
  close(): void {
    for (const session of [...this.#open.values()]) this.#drop(session)
  }

  #claim(session: HttpSession, caller: Caller): HttpSession | undefined {
    const now = Date.now()
    if (now - session.openedAt > this.#rules.limits.sessionMs) return this.#drop(session)
    if (session.conversation.caller.id !== caller.id) return undefined
    if (now - session.usedAt > restMs) this.#moveToEnd(session)
    session.usedAt = now
    session.conversation.caller = caller
    return session
  }

  async #reopen(token: string, caller: Caller): Promise<HttpSession | undefined> {
    const sealed = (await this.#app.sealer.open('session', token)) as ReturnType<typeof sealedOf> | undefined // nobody else can have sealed it
    if (!sealed) return undefined
    const [id, version, callerId, at, capabilities, clientInfo] = sealed
    if (this.#ended.has(id)) return undefined
    const meanwhile = this.#open.get(token)
    if (meanwhile) return this.#claim(meanwhile, caller)
    const revision = this.#app.revisions.find(version)
    if (callerId !== caller.id || !revision || Date.now() - at > this.#rules.limits.sessionMs) return undefined
    const session = new HttpSession(caller, this.#rules, { id, openedAt: at })
    session.conversation.peerInfo = { revision, capabilities, clientInfo: clientInfo ?? undefined, logLevel: undefined }
    session.conversation.ready = true
    session.token = token
    this.#keep(session)
    return session
  }

  #keep(session: HttpSession): void {
    this.#open.set(session.token, session)
    this.#app.join(session.conversation)
    const { sessions, sessionIdleMs } = this.#rules.limits
    const idleSince = Date.now() - sessionIdleMs
    for (const oldest of this.#open.values()) {
      if (this.#open.size <= sessions && oldest.usedAt > idleSince) return
      if (oldest.busy && this.#open.size <= sessions) this.#moveToEnd(oldest)
      else if (oldest !== session) this.#drop(oldest)
    }
  }

  #moveToEnd(session: HttpSession): void {
    this.#open.delete(session.token)
    this.#open.set(session.token, session)
    session.usedAt = Date.now()
  }

  #drop(session: HttpSession): undefined {
    this.#open.delete(session.token)
    session.end()
    this.#app.leave(session.conversation)
    return undefined
  }
}

/** What a token holds: enough for any replica with the same secret to go on with the session. */
const sealedOf = ({ id, openedAt, conversation }: HttpSession, { revision, capabilities, clientInfo }: PeerInfo) =>
  [
    id,
    revision.version,
    conversation.caller.id,
    openedAt,
    undefinedIfLong(capabilities) ?? {},
    undefinedIfLong(clientInfo) ?? null,
  ] as const

/** A client may say more about itself than a header can hold; then it is forgotten when the session is opened again. */
const undefinedIfLong = <T>(value: T): T | undefined =>
  value !== undefined && JSON.stringify(value).length <= longestPart ? value : undefined
