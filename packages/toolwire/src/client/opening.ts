// Finding out which era a server is from, and beginning to talk with it.
// spec 2026-07-28, basic/versioning#backward-compatibility
import { isObject, type JsonObject } from '../json.js'
import { codes } from '../jsonrpc/error.js'
import { LinkError, type Way } from '../peer/link.js'
import type { Editions } from '../revisions/editions.js'
import type { Revision } from '../revisions/revision.js'
import { discover, modernCodes, namesOf, supportedIn } from './discovery.js'
import { CallFailure } from './errors.js'
import { type Host, Session } from './session.js'
import type { Verdict } from './verdicts.js'

export type OpeningOptions = {
  readonly editions: Editions
  /** What is known from an earlier connection. */
  readonly known: Verdict | undefined
  /** What the server has told this same client before. */
  readonly discovered: Discovered | undefined
  /** Ask a server of the newest kind what it offers before anything else. */
  readonly discover: boolean
}

/** What a server answered when it was asked what it offers, and when. */
export type Discovered = { readonly said: JsonObject; readonly at: number }

/** A session that has begun, and what the server said about itself. */
export type Opened = {
  readonly session: Session
  readonly said: JsonObject | undefined
  readonly older: boolean
}

/** Opens a session: in the era that is known, or else in the one that the server turns out to be from. */
export async function open(way: Way, host: Host, options: OpeningOptions): Promise<Opened> {
  const { editions, known } = options
  const revision = known && editions.find(known.revision)
  if (revision?.opening === 'per-request') return assume(way, host, revision, options.discovered)
  if (revision) return shakeHands(known?.older && way.older ? way.older : way, host, options)
  const [newest] = editions.perRequest
  if (!newest) return begin(way, host, options)
  if (!options.discover) return assume(way, host, newest, options.discovered)
  return probe(way, host, options, newest)
}

/** Nothing is sent: the first request will show whether it is still so. */
async function assume(way: Way, host: Host, revision: Revision, discovered: Discovered | undefined): Promise<Opened> {
  const said = discovered?.said
  const session = await Session.dial(way, host)
  session.era = 'assumed'
  session.speak(revision)
  await session.link.settled(revision)
  session.capabilities = discovered && isFresh(discovered) ? capabilitiesIn(said) : undefined
  return { session, said, older: false }
}

/** What a server offers may change sooner than the era it is from; it says for how long its word holds. */
function isFresh({ at, said: { ttlMs } }: Discovered): boolean {
  return typeof ttlMs === 'number' && performance.now() - at < ttlMs
}

async function probe(way: Way, host: Host, options: OpeningOptions, newest: Revision): Promise<Opened> {
  const session = await Session.dial(way, host)
  const found = await discover(session, options.editions, newest, host).catch((thrown) => abandon(session, thrown))
  if (typeof found === 'object') {
    await session.link.settled(found.revision)
    session.capabilities = capabilitiesIn(found.said)
    return { session, said: found.said, older: false }
  }
  if (options.editions.handshake.length === 0) {
    await session.close()
    throw noneInCommon(way, options.editions, 'it does not answer server/discover')
  }
  // Some servers end at any request before the handshake: they get a connection of their own.
  if (session.isOver) return begin(way, host, options)
  return begin(way, host, options, { session, totalMs: found === 'silent' ? afterSilenceMs : undefined })
}

/** For the handshake with a server that has said nothing to the first question, where it should have. */
const afterSilenceMs = 15_000

/** A session that is there already, and how long its server may take to shake hands. */
type Begun = { readonly session: Session; readonly totalMs: number | undefined }

/** A handshake, over HTTP+SSE if nothing newer answers. */
async function begin(way: Way, host: Host, options: OpeningOptions, begun?: Begun): Promise<Opened> {
  try {
    return await shakeHands(way, host, options, begun)
  } catch (thrown) {
    const [offered] = options.editions.handshake
    if (!way.older || !offered || !isOnlyOlder(thrown, offered)) throw thrown
    return { ...(await shakeHands(way.older, host, options)), older: true }
  }
}

const olderStatuses: ReadonlySet<unknown> = new Set([400, 404, 405])

/** spec 2026-07-28, basic/transports/streamable-http#backwards-compatibility, and the same of earlier editions */
function isOnlyOlder(thrown: unknown, { http }: Revision): boolean {
  const why = thrown instanceof Error ? thrown.cause : undefined
  if (!(why instanceof LinkError)) return false
  const { status = 0 } = why
  const says = http.onlyOlder === 'any 4xx' ? status >= 400 && status < 500 && status !== 401 : olderStatuses.has(status)
  if (!says) return false
  const code = why.response?.error.code
  return code === undefined || !(modernCodes.has(code) || code === codes.methodNotFound)
}

async function shakeHands(way: Way, host: Host, { editions }: OpeningOptions, begun?: Begun): Promise<Opened> {
  const [offered] = editions.handshake
  if (!offered) throw noneInCommon(way, editions, 'it wants a handshake')
  const session = begun?.session ?? (await Session.dial(way, host))
  try {
    session.speak(offered)
    const { clientInfo, capabilities } = host.introduction(offered)
    const params = { protocolVersion: offered.version, capabilities, clientInfo }
    const said = await session.request('initialize', params, {
      givingUp: 'closes',
      ...(begun?.totalMs !== undefined && { totalMs: begun.totalMs }),
    })
    const settled = editions.find(said.protocolVersion)
    if (settled?.opening !== 'handshake')
      throw noneInCommon(way, editions, `it answered with ${JSON.stringify(said.protocolVersion)}`)
    session.speak(settled)
    session.capabilities = capabilitiesIn(said) ?? {}
    session.notify('notifications/initialized')
    await within(settleMs, session.link.settled(settled))
    return { session, said, older: false }
  } catch (thrown) {
    const supported = supportedIn(thrown)
    return abandon(
      session,
      supported ? noneInCommon(way, editions, `it speaks ${namesOf(supported)}`) : withPrinted(thrown, session),
    )
  }
}

/** A program that prints instead of answering says there why, as a rule. */
function withPrinted(thrown: unknown, { link: { printed = '' } }: Session): unknown {
  if (!(thrown instanceof CallFailure) || thrown.code !== 'timed_out' || printed === '') return thrown
  return new CallFailure(thrown.code, `${thrown.message}. ${printed}`, { cause: thrown })
}

export const capabilitiesIn = (said: JsonObject | undefined): JsonObject | undefined =>
  isObject(said?.capabilities) ? said.capabilities : undefined

const noneInCommon = (way: Way, editions: Editions, because: string): CallFailure =>
  new CallFailure(
    'no_common_revision',
    `${way.name} and this client have no revision in common: ${because}, and this client speaks ${editions.versions.join(', ')}`,
  )

/** A server that is slow to open its own stream is not waited for. */
const settleMs = 3_000

async function within(ms: number, work: Promise<void> | undefined): Promise<void> {
  if (!work) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

async function abandon(session: Session, thrown: unknown): Promise<never> {
  await session.close()
  throw thrown
}
