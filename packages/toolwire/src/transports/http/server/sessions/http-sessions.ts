import { repeatWhile } from '../../../../bounds/repeat-while.js'
import type { Application } from '../../../../peer/application.js'
import type { PeerInfo } from '../../../../peer/conversation.js'
import type { Caller } from '../../../../tools/caller.js'
import { Refusal } from '../../../../tools/refusal.js'
import type { StreamRules } from '../streams/event-stream.js'
import { HttpSession } from './http-session.js'
import { memorySessions, type SharedSession } from './session-store.js'

/** A header has to hold it, beside all the others. */
const longestToken = 8_192
const longestPart = 2_048
const restMs = 60_000
const lookEveryMs = 500

/** The sessions open here, by their tokens; those that have not been used for long are opened again when they are. */
export function httpSessions(app: Application, rules: StreamRules) {
  const { sessions: most, sessionIdleMs, sessionMs } = rules.limits
  /** Least recently used first. */
  const open = new Map<string, HttpSession>()
  const { sessions: shared } = rules
  const store = shared ?? memorySessions(most)

  function drop(session: HttpSession): undefined {
    open.delete(session.token)
    session.end()
    app.leave(session.conversation)
  }

  function moveToEnd(session: HttpSession): void {
    open.delete(session.token)
    open.set(session.token, session)
    session.usedAt = Date.now()
  }

  const known = (id: string) => asked(async () => store.read(id))

  /** Takes over what the client has set at other replicas. */
  function takeOver(session: HttpSession, { logLevel, watched, version }: SharedSession): void {
    if (version <= session.sharedVersion) return
    const { conversation } = session
    session.sharedVersion = version
    if (logLevel) conversation.logLevel = logLevel
    conversation.watched.clear()
    for (const uri of watched) conversation.watched.add(uri)
    // Others may be watched now than when it joined.
    app.join(conversation)
  }

  async function upToDate(session: HttpSession): Promise<HttpSession | undefined> {
    const noted = await known(session.id)
    if (noted?.ended) return drop(session)
    if (noted) takeOver(session, noted)
    return session
  }

  /** What their clients do elsewhere reaches those that listen here, though they ask for nothing. */
  async function lookForNews(): Promise<void> {
    const listening = [...open.values()].filter(({ listens }) => listens)
    const known = listening.map(({ id, sharedVersion }) => ({ id, version: sharedVersion }))
    const news = new Map(((await shared?.news(known)) ?? []).map((one) => [one.id, one]))
    for (const session of listening) {
      const noted = news.get(session.id)
      if (noted?.ended) drop(session)
      else if (noted) takeOver(session, noted)
    }
  }
  const isListening = () => [...open.values()].some(({ listens }) => listens)
  const followNews = repeatWhile(isListening, lookForNews, { everyMs: lookEveryMs })

  function keep(session: HttpSession): void {
    if (shared)
      session.conversation.share = async (change) =>
        takeOver(session, await asked(async () => shared.change(session.id, change, sessionMs)))
    open.set(session.token, session)
    app.join(session.conversation)
    const idleSince = Date.now() - sessionIdleMs
    for (const oldest of open.values()) {
      if (open.size <= most && oldest.usedAt > idleSince) return
      if (oldest.busy && open.size <= most) moveToEnd(oldest)
      else if (oldest !== session) drop(oldest)
    }
  }

  function claim(session: HttpSession, caller: Caller): HttpSession | undefined {
    const now = Date.now()
    if (now - session.openedAt > sessionMs) return drop(session)
    if (session.conversation.caller.id !== caller.id) return undefined
    if (now - session.usedAt > restMs) moveToEnd(session)
    session.usedAt = now
    session.conversation.caller = caller
    return session
  }

  async function reopen(token: string, caller: Caller): Promise<HttpSession | undefined> {
    const sealed = (await app.sealer.open('session', token)) as ReturnType<typeof sealedOf> | undefined // nobody else can have sealed it
    if (!sealed) return undefined
    const [id, version, callerId, openedAt, capabilities, clientInfo] = sealed
    const noted = await known(id)
    if (noted?.ended) return undefined
    const meanwhile = open.get(token)
    if (meanwhile) return claim(meanwhile, caller)
    const revision = app.revisions.find(version)
    if (callerId !== caller.id || !revision || Date.now() - openedAt > sessionMs) return undefined
    const session = new HttpSession(caller, rules, { id, openedAt })
    session.conversation.peerInfo = { revision, capabilities, clientInfo: clientInfo ?? undefined, logLevel: undefined }
    session.conversation.ready = true
    session.token = token
    keep(session)
    if (noted) takeOver(session, noted)
    return session
  }

  async function claimUpToDate(session: HttpSession, caller: Caller): Promise<HttpSession | undefined> {
    const claimed = claim(session, caller)
    return claimed && upToDate(claimed)
  }

  return {
    /** The caller's own session of that token. Having the token is not enough: it names a session, it does not prove who asks. */
    find(token: string, caller: Caller): HttpSession | undefined | Promise<HttpSession | undefined> {
      const session = open.get(token)
      if (session) return shared ? claimUpToDate(session, caller) : claim(session, caller)
      return token.length > longestToken ? undefined : reopen(token, caller)
    },
    /** The same, if it is open here already. */
    opened(token: string, caller: Caller): HttpSession | undefined {
      const session = open.get(token)
      return session && claim(session, caller)
    },
    /** Makes the token of a session whose handshake is done. */
    async admit(session: HttpSession, peerInfo: PeerInfo): Promise<string> {
      session.token = await app.sealer.seal('session', sealedOf(session, peerInfo))
      keep(session)
      return session.token
    },
    /** A stream of this session is open, on which it hears of what belongs to no request. */
    listening(): void {
      if (shared) followNews()
    },
    async end(session: HttpSession): Promise<void> {
      await asked(async () => store.end(session.id, sessionMs))
      drop(session)
      if (rules.events.shared) await asked(async () => rules.events.forget(session.id))
    },
    /** Ends what is open here; the tokens still hold elsewhere. */
    close(): void {
      for (const session of [...open.values()]) drop(session)
    },
  }
}

/** Whether a session has ended is not guessed. */
async function asked<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (cause) {
    throw new Refusal('busy', 'Sessions cannot be looked up now; try again in 1 s', { cause, retryAfterMs: 1_000 })
  }
}

/** What a token holds: enough for any replica with the same secret to go on with the session. */
const sealedOf = ({ id, openedAt, conversation }: HttpSession, { revision, capabilities, clientInfo }: PeerInfo) =>
  [id, revision.version, conversation.caller.id, openedAt, unlessLong(capabilities, {}), unlessLong(clientInfo, null)] as const

/** A client may say more about itself than a header can hold; then it is forgotten when the session is opened again. */
const unlessLong = <T, U>(value: T, instead: U): T | U =>
  value !== undefined && JSON.stringify(value).length <= longestPart ? value : instead
