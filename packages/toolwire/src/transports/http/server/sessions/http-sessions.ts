import { repeatWhile } from '../../../../bounds/repeat-while.js'
import type { Application } from '../../../../peer/application.js'
import type { PeerInfo } from '../../../../peer/conversation.js'
import type { Caller } from '../../../../tools/caller.js'
import { Refusal } from '../../../../tools/refusal.js'
import type { StreamRules } from '../streams/event-stream.js'
import { HttpSession } from './http-session.js'
import { openSessions } from './open-sessions.js'
import { memorySessions, type SharedSession } from './session-store.js'

/** The token must fit into the headers of a request, beside all the others. */
const longestToken = 8_192
const lookEveryMs = 500

/** The sessions open here, by token; idle ones are closed, and restored from their tokens. */
export function httpSessions(app: Application, rules: StreamRules) {
  const { sessions: most, sessionMs } = rules.limits
  const open = openSessions(app, rules)
  const { sessions: shared } = rules
  const store = shared ?? memorySessions(most)

  const known = (id: string) => orRefuseBusy(async () => store.read(id))

  /** Takes over settings that the client has made at other replicas. */
  function takeOver(session: HttpSession, { logLevel, watched, version }: SharedSession): void {
    if (version <= session.sharedVersion) return
    const { conversation } = session
    session.sharedVersion = version
    if (logLevel) conversation.logLevel = logLevel
    conversation.watched.clear()
    for (const uri of watched) conversation.watched.add(uri)
    // The watched resources may have changed since the conversation joined.
    app.join(conversation)
  }

  async function upToDate(session: HttpSession): Promise<HttpSession | undefined> {
    const noted = await known(session.id)
    if (noted?.ended) return open.drop(session)
    if (noted) takeOver(session, noted)
    return session
  }

  /** Applies changes from other replicas to sessions that listen here without sending requests. */
  async function lookForNews(): Promise<void> {
    const listening = open.all().filter(({ listens }) => listens)
    const known = listening.map(({ id, sharedVersion }) => ({ id, version: sharedVersion }))
    const news = new Map(((await shared?.news(known)) ?? []).map((one) => [one.id, one]))
    for (const session of listening) {
      const noted = news.get(session.id)
      if (noted?.ended) open.drop(session)
      else if (noted) takeOver(session, noted)
    }
  }
  const isListening = () => open.all().some(({ listens }) => listens)
  const followNews = repeatWhile(isListening, lookForNews, { everyMs: lookEveryMs })

  function keep(session: HttpSession): void {
    if (shared)
      session.conversation.share = async (change) =>
        takeOver(session, await orRefuseBusy(async () => shared.change(session.id, change, sessionMs)))
    open.keep(session)
  }

  async function reopen(token: string, caller: Caller): Promise<HttpSession | undefined> {
    const sealed = (await app.sealer.open('session', token)) as ReturnType<typeof sealedOf> | undefined // nobody else can have sealed it
    if (!sealed) return undefined
    const [id, version, callerId, openedAt, capabilities, clientInfo] = sealed
    const noted = await known(id)
    if (noted?.ended) return undefined
    const meanwhile = open.get(token)
    if (meanwhile) return open.claim(meanwhile, caller)
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
    const claimed = open.claim(session, caller)
    return claimed && upToDate(claimed)
  }

  return {
    /** The caller's own session with that token. The token names a session, but does not authenticate the caller. */
    find(token: string, caller: Caller): HttpSession | undefined | Promise<HttpSession | undefined> {
      const session = open.get(token)
      if (session) return shared ? claimUpToDate(session, caller) : open.claim(session, caller)
      return token.length > longestToken ? undefined : reopen(token, caller)
    },
    /** The session, if it is open here already. */
    opened(token: string, caller: Caller): HttpSession | undefined {
      const session = open.get(token)
      return session && open.claim(session, caller)
    },
    /** Creates the token of a session after its handshake. */
    async admit(session: HttpSession, peerInfo: PeerInfo): Promise<string> {
      session.token = await app.sealer.seal('session', sealedOf(session, peerInfo))
      keep(session)
      return session.token
    },
    /** Notes that a stream for messages without a request is open. */
    listening(): void {
      if (shared) followNews()
    },
    async end(session: HttpSession): Promise<void> {
      await orRefuseBusy(async () => store.end(session.id, sessionMs, session.conversation.caller.id))
      open.drop(session)
      if (rules.events.shared) await orRefuseBusy(async () => rules.events.forget(session.id))
    },
    /** Closes the sessions that are open here; their tokens stay valid elsewhere. */
    close(): void {
      for (const session of open.all()) open.drop(session)
    },
  }
}

/** Refuses the request if the store is unavailable, because the end of a session must not be guessed. */
async function orRefuseBusy<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (cause) {
    throw new Refusal('busy', 'Sessions cannot be looked up now; try again in 1 s', { cause, retryAfterMs: 1_000 })
  }
}

/** The contents of a token: enough for any replica with the same secret to continue the session. */
const sealedOf = ({ id, openedAt, conversation }: HttpSession, { revision, capabilities, clientInfo }: PeerInfo) =>
  [id, revision.version, conversation.caller.id, openedAt, capabilities, clientInfo ?? null] as const
