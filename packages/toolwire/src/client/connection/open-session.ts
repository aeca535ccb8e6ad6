// Opens a session: finds out the server's style, and makes the handshake if there is one.
// spec 2026-07-28, basic/versioning#backward-compatibility
import { withDeadline } from '../../bounds/deadline.js'
import { isObject, type JsonObject } from '../../json.js'
import { codes } from '../../jsonrpc/error.js'
import type { Endpoint } from '../../peer/client-transport.js'
import type { Revision } from '../../revisions/revision.js'
import type { RevisionSet } from '../../revisions/revision-set.js'
import { CallFailure } from '../errors.js'
import {
  type DiscoveredRevision,
  describeVersions,
  discoverRevision,
  isListed,
  perRequestErrorCodes,
  supportedVersionsIn,
} from './discovery.js'
import { transportErrorIn, unreadStatuses } from './revision-mismatch.js'
import type { NegotiatedRevision } from './revision-store.js'
import { ClientSession, type SessionHost } from './session.js'

type SessionTarget = {
  readonly endpoint: Endpoint
  readonly host: SessionHost
  readonly revisions: RevisionSet
  /** The revision from an earlier connection. */
  readonly known: NegotiatedRevision | undefined
  /** An earlier answer to `server/discover`, given to this same client. */
  readonly discovered: DiscoveryAnswer | undefined
  /** Send `server/discover` before any other request. */
  readonly discover: boolean
}

export type DiscoveryAnswer = { readonly said: JsonObject; readonly at: number }

/** An open session, and the server's description of itself. */
export type OpenedSession = {
  readonly session: ClientSession
  readonly said: JsonObject | undefined
  readonly older: boolean
}

/** Opens a session in the known revision, or in the one that negotiation finds. */
export async function openSession(to: SessionTarget): Promise<OpenedSession> {
  const { endpoint, revisions, known } = to
  const revision = known && revisions.find(known.revision)
  if (revision?.style === 'per-request') return openAssumed(to, revision)
  if (revision) return handshake(known?.older && endpoint.olderEndpoint ? { ...to, endpoint: endpoint.olderEndpoint } : to)
  const [newest] = revisions.perRequest
  if (!newest) return handshakeOrSse(to)
  return to.discover ? openByDiscovery(to, newest) : openAssumed(to, newest)
}

/** Sends nothing: the first request shows if the assumption still holds. */
async function openAssumed({ endpoint, host, discovered }: SessionTarget, revision: Revision): Promise<OpenedSession> {
  const said = discovered?.said
  const session = await ClientSession.dial(endpoint, host)
  session.revisionEvidence = 'assumed'
  session.setRevision(revision)
  await session.transport.settled(revision)
  session.capabilities = discovered && isFresh(discovered) ? capabilitiesIn(said) : undefined
  return { session, said, older: false }
}

/** Capabilities may change sooner than the revision, so they are used only within the server's `ttlMs`. */
const isFresh = (answer: DiscoveryAnswer): boolean => performance.now() - answer.at < lifetimeOf(answer)

/** spec 2026-07-28, server/utilities/caching: an answer without `ttlMs` is stale at once. */
export const lifetimeOf = ({ said: { ttlMs } }: DiscoveryAnswer): number =>
  typeof ttlMs === 'number' ? Math.min(ttlMs, longestMs) : 0

const longestMs = 86_400_000

async function openByDiscovery(to: SessionTarget, newest: Revision): Promise<OpenedSession> {
  const session = await ClientSession.dial(to.endpoint, to.host)
  const found = await discoverRevision(session, to.revisions, newest).catch((thrown) => abandon(session, thrown))
  if (typeof found === 'object') return discovered(session, found)
  if (to.revisions.handshake.length === 0) {
    await session.close()
    throw noCommonRevision(to, 'the server does not answer server/discover')
  }
  // Some servers exit at any request before the handshake, so the handshake gets a new connection.
  if (session.isOver) return handshakeOrSse(to)
  return handshakeOrSse(to, { session, totalMs: found === 'silent' ? afterSilenceMs : undefined })
}

async function discovered(session: ClientSession, { revision, said }: DiscoveredRevision): Promise<OpenedSession> {
  await session.transport.settled(revision)
  session.capabilities = capabilitiesIn(said)
  return { session, said, older: false }
}

/** Timeout of the handshake with an HTTP server that did not answer `server/discover`. */
const afterSilenceMs = 15_000

type StartedSession = { readonly session: ClientSession; readonly totalMs: number | undefined }

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
  if (!offered) throw noCommonRevision(to, 'the server requires a handshake')
  const session = begun?.session ?? (await ClientSession.dial(endpoint, host))
  try {
    session.setRevision(offered)
    const { clientInfo, capabilities } = host.options.declaration(offered)
    const params = { protocolVersion: offered.version, capabilities, clientInfo }
    const said = await session.request('initialize', params, { onAbandon: 'closes', totalMs: begun?.totalMs })
    const settled = revisions.find(said.protocolVersion)
    if (settled?.style !== 'handshake')
      throw noCommonRevision(to, `the server answered with ${JSON.stringify(said.protocolVersion)}`)
    session.setRevision(settled)
    session.capabilities = capabilitiesIn(said) ?? {}
    session.notify('notifications/initialized')
    await withDeadline(settleMs, session.transport.settled(settled), () => undefined)
    return { session, said, older: false }
  } catch (thrown) {
    const supported = supportedVersionsIn(thrown)
    if (!supported) return abandon(session, withChildOutput(thrown, session))
    // A program that was still starting when it was asked for its revisions, and answers now.
    const spoken = begun && revisions.perRequest.find(({ version }) => isListed(supported, version))
    const found = spoken && (await discoverRevision(session, revisions, spoken).catch((cause) => abandon(session, cause)))
    if (typeof found === 'object') return discovered(session, found)
    return abandon(session, noCommonRevision(to, `the server speaks ${describeVersions(supported)}`))
  }
}

/** Adds the program's output to a timeout, because it usually explains the failure. */
function withChildOutput(thrown: unknown, { transport: { printed = '' } }: ClientSession): unknown {
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

/** Longest wait for the stream on which the server sends its own messages. */
const settleMs = 3_000

async function abandon(session: ClientSession, thrown: unknown): Promise<never> {
  await session.close()
  throw thrown
}
