// Asks a server for its revisions, which tells per-request servers from older ones.
// spec 2026-07-28, server/discover and basic/versioning#backward-compatibility
import { isObject, type JsonObject } from '../../json.js'
import { RpcError } from '../../jsonrpc/error.js'
import { protocolCodes } from '../../revisions/protocol-codes.js'
import type { Revision } from '../../revisions/revision.js'
import type { RevisionSet } from '../../revisions/revision-set.js'
import { CallFailure } from '../errors.js'
import { perRequestOnlyCodes, transportErrorIn } from './revision-mismatch.js'
import type { ClientSession, SendOptions } from './session.js'

const mostProbes = 2

/** A server without discovery: it answered something else, or nothing over HTTP, where every server answers. */
type OlderServer = 'older' | 'silent'

export type DiscoveredRevision = { readonly revision: Revision; readonly said: JsonObject }

export async function discoverRevision(
  session: ClientSession,
  revisionSet: RevisionSet,
  first: Revision,
): Promise<DiscoveredRevision | OlderServer> {
  let revision = first
  for (let tries = 0; tries < mostProbes; tries++) {
    session.setRevision(revision)
    try {
      const said = await session.request('server/discover', {}, probeOptions(session))
      // Some old servers answer anything with an empty result.
      if (!Array.isArray(said.supportedVersions)) return 'older'
      const chosen = revisionSet.perRequest.find(({ version }) => isListed(said.supportedVersions, version))
      if (!chosen) return requireHandshake(revisionSet, said.supportedVersions, session)
      session.setRevision(chosen)
      return { revision: chosen, said }
    } catch (thrown) {
      const supported = supportedVersionsIn(thrown)
      if (!supported && isPreDiscovery(thrown)) return kindOf(thrown, session)
      if (!supported) throw thrown
      const next = revisionSet.perRequest.find(({ version }) => isListed(supported, version))
      if (!next) return requireHandshake(revisionSet, supported, session)
      revision = next
    }
  }
  return requireHandshake(revisionSet, [], session)
}

/**
 * Old servers on a pipe may ignore unknown requests, and a program may take seconds to start, for example while its package is installed.
 * Over HTTP every server answers something, and a slow one must not be taken for an old one, because a person may be logging in.
 */
export const probeOptions = ({ transport, limits }: ClientSession): SendOptions => ({
  onAbandon: 'silently',
  totalMs: Math.min(limits.totalMs, transport.shape === 'pipe' ? limits.probeMs : longestProbeMs),
})

const longestProbeMs = 45_000

const kindOf = (thrown: unknown, { transport }: ClientSession): OlderServer =>
  transport.shape === 'posts' && thrown instanceof CallFailure && thrown.code === 'timed_out' ? 'silent' : 'older'

/** Allows a handshake only if the server lists a version that has one; throws otherwise. */
function requireHandshake(revisionSet: RevisionSet, supported: unknown, session: ClientSession): OlderServer {
  if (revisionSet.handshake.some(({ version }) => isListed(supported, version))) return 'older'
  void session.close()
  throw new CallFailure(
    'no_common_revision',
    `The server and this client have no revision in common: the server speaks ${describeVersions(supported)}, this client ${revisionSet.versions.join(', ')}`,
  )
}

export const isListed = (versions: unknown, version: string): boolean => Array.isArray(versions) && versions.includes(version)

export const describeVersions = (supported: unknown): string =>
  Array.isArray(supported) ? supported.map(String).slice(0, 10).join(', ') : 'no revision that it names'

/** The versions that a server lists in its error about an unsupported one. */
export function supportedVersionsIn(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== protocolCodes.unsupportedVersion) return undefined
  return isObject(thrown.data) ? (thrown.data.supported ?? []) : []
}

export const perRequestErrorCodes = new Set([...perRequestOnlyCodes, protocolCodes.unsupportedVersion])

/** True if the error shows a server without discovery. Errors that only newer servers send, and access errors such as 429, do not. */
function isPreDiscovery(thrown: unknown): boolean {
  if (thrown instanceof RpcError) return !perRequestErrorCodes.has(thrown.code)
  if (!(thrown instanceof CallFailure)) return false
  if (thrown.code === 'timed_out') return true
  const { code, status } = transportErrorIn(thrown) ?? {}
  if (code === 'status') return status !== 429 && status !== 503
  return code === 'garbage' || code === 'exited' || code === 'broken' || code === 'session-gone'
}
