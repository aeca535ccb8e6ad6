// The question that tells the eras apart. spec 2026-07-28, server/discover and basic/versioning#backward-compatibility
import { isObject, type JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import { LinkError } from '../peer/link.js'
import type { Editions } from '../revisions/editions.js'
import { protocolCodes } from '../revisions/protocol-codes.js'
import type { Revision } from '../revisions/revision.js'
import { CallFailure } from './errors.js'
import type { Host, Sending, Session } from './session.js'

export type Found = { readonly revision: Revision; readonly said: JsonObject }

const mostProbes = 2

/** What a server is that is from before discovery: it answered in whatever way, or not at all where every server answers. */
export type Older = 'older' | 'silent'

export async function discover(session: Session, editions: Editions, first: Revision, host: Host): Promise<Found | Older> {
  let revision = first
  for (let tries = 0; tries < mostProbes; tries++) {
    session.speak(revision)
    try {
      const said = await session.request('server/discover', {}, patience(session, host))
      // Some old servers answer anything with an empty result.
      if (!Array.isArray(said.supportedVersions)) return 'older'
      const chosen = editions.perRequest.find(({ version }) => listed(said.supportedVersions, version))
      if (!chosen) return commonHandshake(editions, said.supportedVersions, session)
      session.speak(chosen)
      return { revision: chosen, said }
    } catch (thrown) {
      const supported = supportedIn(thrown)
      if (!supported) return isOfOldEra(thrown) ? kindOf(thrown, session) : rethrow(thrown)
      const next = editions.perRequest.find(({ version }) => listed(supported, version))
      if (!next) return commonHandshake(editions, supported, session)
      revision = next
    }
  }
  return commonHandshake(editions, [], session)
}

/**
 * Old servers on a pipe may pass over what they do not know. Over HTTP every server answers something, and a slow one must not be
 * taken for an old one: there may be a person logging in meanwhile.
 */
const patience = ({ link }: Session, { limits }: Host): Sending => ({
  givingUp: 'silently',
  totalMs: link.shape === 'pipe' ? limits.probeMs : Math.min(limits.totalMs, longestProbeMs),
})

const longestProbeMs = 45_000

const kindOf = (thrown: unknown, { link }: Session): Older =>
  link.shape === 'posts' && thrown instanceof CallFailure && thrown.code === 'timed_out' ? 'silent' : 'older'

/** A modern server that has told its versions is taken at its word: a handshake only if it lists a version that has one. */
function commonHandshake(editions: Editions, supported: unknown, session: Session): Older {
  if (editions.handshake.some(({ version }) => listed(supported, version))) return 'older'
  void session.close()
  throw new CallFailure(
    'no_common_revision',
    `The server and this client speak no revision in common: it speaks ${namesOf(supported)}, this client ${editions.versions.join(', ')}`,
  )
}

const listed = (versions: unknown, version: string): boolean => Array.isArray(versions) && versions.includes(version)

/** For an error message: what a server says that it supports. */
export const namesOf = (supported: unknown): string =>
  Array.isArray(supported) ? supported.map(String).slice(0, 10).join(', ') : 'none that it names'

/** What a server says that it supports instead. */
export function supportedIn(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== protocolCodes.unsupportedVersion) return undefined
  return isObject(thrown.data) ? (thrown.data.supported ?? []) : []
}

export const modernCodes: ReadonlySet<number> = new Set([
  protocolCodes.headerMismatch,
  protocolCodes.missingCapability,
  protocolCodes.unsupportedVersion,
])

/** Whether that says that the server knows nothing of discovery. Only errors of the newest kind, and those of a door, say otherwise. */
function isOfOldEra(thrown: unknown): boolean {
  if (thrown instanceof RpcError) return !modernCodes.has(thrown.code)
  if (!(thrown instanceof CallFailure)) return false
  if (thrown.code === 'timed_out') return true
  const why = thrown.cause
  if (!(why instanceof LinkError)) return false
  if (why.code === 'status') return why.status !== 429 && why.status !== 503
  return why.code === 'garbage' || why.code === 'exited' || why.code === 'broken' || why.code === 'session-gone'
}

function rethrow(thrown: unknown): never {
  throw thrown
}
