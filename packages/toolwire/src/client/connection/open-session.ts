// Finding out which era a server is from, and beginning to talk with it.
// spec 2026-07-28, basic/versioning#backward-compatibility
import { withDeadline } from '../../bounds/deadline.js'
import { isObject, type JsonObject } from '../../json.js'
import { codes } from '../../jsonrpc/error.js'
import type { Endpoint } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { RevisionSet } from '../../revisions/revision-set.js'
import { CallFailure } from '../errors.js'
import { describeVersions, discoverRevision, perRequestErrorCodes, supportedVersionsIn } from './discovery.js'
import { transportErrorIn, unreadStatuses } from './revision-mismatch.js'
import type { NegotiatedRevision } from './revision-store.js'
import { ClientSession, type SessionHost } from './session.js'

/** Where a session is wanted, and what is known of the server there. */
type SessionTarget = {
  readonly endpoint: Endpoint
  readonly host: SessionHost
  readonly revisions: RevisionSet
  /** What is known from an earlier connection. */
  readonly known: NegotiatedRevision | undefined
  /** What the server has told this same client before. */
  readonly discovered: DiscoveryAnswer | undefined
  /** Ask a server of the newest kind what it offers before anything else. */
  readonly discover: boolean
}

/** What a server answered when it was asked what it offers, and when. */
export type DiscoveryAnswer = { readonly said: JsonObject; readonly at: number }

/** A session that has begun, and what the server said about itself. */
export type OpenedSession = {
  readonly session: ClientSession
  readonly said: JsonObject | undefined
  readonly older: boolean
}

/** Opens a session: in the era that is known, or else in the one that the server turns out to be from. */
export async function openSession(to: SessionTarget): Promise<OpenedSession> {
  const { endpoint, revisions, known } = to
  const revision = known && revisions.find(known.revision)
  if (revision?.style === 'per-request') return openAssumed(to, revision)
  if (revision) return handshake(known?.older && endpoint.olderEndpoint ? { ...to, endpoint: endpoint.olderEndpoint } : to)
  const [newest] = revisions.perRequest
  if (!newest) return handshakeOrSse(to)
  return to.discover ? openByDiscovery(to, newest) : openAssumed(to, newest)
}

/** Nothing is sent: the first request will show whether it is still so. */
async function openAssumed({ endpoint, host, discovered }: SessionTarget, revision: Revision): Promise<OpenedSession> {
  const said = discovered?.said
  const session = await ClientSession.dial(endpoint, host)
  session.revisionEvidence = 'assumed'
  session.speak(revision)
  await session.link.settled(revision)
  session.capabilities = discovered && isFresh(discovered) ? capabilitiesIn(said) : undefined
  return { session, said, older: false }
}

/** What a server offers may change sooner than the era it is from; it says for how long its word holds. */
function isFresh({ at, said: { ttlMs } }: DiscoveryAnswer): boolean {
  return typeof ttlMs === 'number' && performance.now() - at < ttlMs
}

async function openByDiscovery(to: SessionTarget, newest: Revision): Promise<OpenedSession> {
  const session = await ClientSession.dial(to.endpoint, to.host)
  const found = await discoverRevision(session, to.revisions, newest).catch((thrown) => abandon(session, thrown))
  if (typeof found === 'object') {
    await session.link.settled(found.revision)
    session.capabilities = capabilitiesIn(found.said)
    return { session, said: found.said, older: false }
  }
  if (to.revisions.handshake.length === 0) {
    await session.close()
    throw noCommonRevision(to, 'it does not answer server/discover')
  }
  // Some servers end at any request before the handshake: they get a connection of their own.
  if (session.isOver) return handshakeOrSse(to)
  return handshakeOrSse(to, { session, totalMs: found === 'silent' ? afterSilenceMs : undefined })
}

/** For the handshake with a server that has said nothing to the first question, where it should have. */
const afterSilenceMs = 15_000

/** A session that is there already, and how long its server may take to shake hands. */
type StartedSession = { readonly session: ClientSession; readonly totalMs: number | undefined }

/** A handshake, over HTTP+SSE if nothing newer answers. */
async function handshakeOrSse(to: SessionTarget, begun?: StartedSession): Promise<OpenedSession> {
  try {
    return await handshake(to, begun)
  } catch (thrown) {
    const [offered] = to.revisions.handshake
    const { olderEndpoint } = to.endpoint
    if (!olderEndpoint || !offered || !isSseOnly(thrown, offered)) throw thrown
    return { ...(await handshake({ ...to, endpoint: olderEndpoint })), older: true }
  }
}

/** spec 2026-07-28, basic/transports/streamable-http#backwards-compatibility, and the same of earlier revisions */
function isSseOnly(thrown: unknown, { http }: Revision): boolean {
  const why = transportErrorIn(thrown)
  if (!why) return false
  const { status = 0 } = why
  const says = http.onlyOlder === 'any 4xx' ? status >= 400 && status < 500 && status !== 401 : unreadStatuses.has(status)
  if (!says) return false
  const code = why.response?.error.code
  return code === undefined || !(perRequestErrorCodes.has(code) || code === codes.methodNotFound)
}

async function handshake(to: SessionTarget, begun?: StartedSession): Promise<OpenedSession> {
  const { endpoint, host, revisions } = to
  const [offered] = revisions.handshake
  if (!offered) throw noCommonRevision(to, 'it wants a handshake')
  const session = begun?.session ?? (await ClientSession.dial(endpoint, host))
  try {
    session.speak(offered)
    const { clientInfo, capabilities } = host.options.declaration(offered)
    const params = { protocolVersion: offered.version, capabilities, clientInfo }
    const said = await session.request('initialize', params, { onAbandon: 'closes', totalMs: begun?.totalMs })
    const settled = revisions.find(said.protocolVersion)
    if (settled?.style !== 'handshake') throw noCommonRevision(to, `it answered with ${JSON.stringify(said.protocolVersion)}`)
    session.speak(settled)
    session.capabilities = capabilitiesIn(said) ?? {}
    session.notify('notifications/initialized')
    await withDeadline(settleMs, session.link.settled(settled), () => undefined)
    return { session, said, older: false }
  } catch (thrown) {
    const supported = supportedVersionsIn(thrown)
    if (!supported) return abandon(session, withChildOutput(thrown, session))
    return abandon(session, noCommonRevision(to, `it speaks ${describeVersions(supported)}`))
  }
}

/** A program that prints instead of answering says there why, as a rule. */
function withChildOutput(thrown: unknown, { link: { printed = '' } }: ClientSession): unknown {
  if (!(thrown instanceof CallFailure) || thrown.code !== 'timed_out' || printed === '') return thrown
  return new CallFailure(thrown.code, `${thrown.message}. ${printed}`, { cause: thrown })
}

export const capabilitiesIn = (said: JsonObject | undefined): JsonObject | undefined =>
  isObject(said?.capabilities) ? said.capabilities : undefined

const noCommonRevision = ({ endpoint, revisions }: SessionTarget, because: string): CallFailure =>
  new CallFailure(
    'no_common_revision',
    `${endpoint.name} and this client have no revision in common: ${because}, and this client speaks ${revisions.versions.join(', ')}`,
  )

/** A server that is slow to open its own stream is not waited for. */
const settleMs = 3_000

async function abandon(session: ClientSession, thrown: unknown): Promise<never> {
  await session.close()
  throw thrown
}
