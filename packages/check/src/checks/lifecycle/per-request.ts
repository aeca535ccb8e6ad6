// Requests that describe themselves: no handshake, no ping, no requests from the server.

import { checksOf } from '../../check.js'
import { isObject, jsonOf } from '../../json.js'
import { perRequest } from '../../revisions.js'
import { clientInfo, errorCodeOf, metaKeys, type RequestOutcome, resultOf, type Session } from '../../session/session.js'
import { enforcedIf, enforcedUnless, missingBecause } from '../../verdict.js'
import { describeReceived, refusedWith, responseIn } from '../refusals.js'
import { cacheHintFaults } from '../tools/cache-hints.js'

const unknownRevision = '1900-01-01'

export const perRequestChecks = checksOf({ level: 'MUST', revisions: [perRequest], page: 'basic/versioning' })({
  'discover-answered': {
    page: 'server/discover',
    sentence: 'server/discover returns the supported versions, the capabilities and cache hints.',
    how: 'Requests server/discover',
    run: async (attempt) => {
      const answered = await attempt.ask('server/discover')
      const result = resultOf(answered.response)
      if (!result) return missingBecause(describeReceived(answered))
      const faults = [
        ...(Array.isArray(result.supportedVersions) ? [] : ['supportedVersions is not a list']),
        ...(isObject(result.capabilities) ? [] : ['capabilities is not an object']),
        ...cacheHintFaults(result),
      ]
      return enforcedUnless(faults, 'All fields are present')
    },
  },
  'discover-versions': {
    level: 'SHOULD',
    page: 'server/discover',
    sentence: 'The versions that server/discover lists include the version of the request.',
    how: 'Requests server/discover',
    run: async (attempt) => {
      const { supportedVersions } = await attempt.opening()
      const { version } = attempt.revision
      const has = Array.isArray(supportedVersions) && supportedVersions.includes(version)
      return enforcedIf(has, 'The version is listed', `${version} is not in ${jsonOf(supportedVersions)}`)
    },
  },
  'meta-server-named': {
    level: 'SHOULD',
    page: 'basic',
    sentence: 'A result names the server in its _meta.',
    how: 'Reads the _meta of a list of tools',
    run: async (attempt) => {
      const result = resultOf((await attempt.ask(attempt.probe)).response)
      const server = isObject(result?._meta) ? result._meta[metaKeys.server] : undefined
      return enforcedIf(isObject(server), 'The server is named', 'The result does not name the server')
    },
  },
  'meta-required': {
    page: 'basic',
    sentence: 'A request without the capabilities of the client in its _meta is refused with the error -32602.',
    how: 'Lists the tools without these capabilities',
    run: async (attempt) =>
      refusedWith(await attempt.ask(attempt.probe, {}, { meta: { [metaKeys.capabilities]: undefined } }), -32602),
  },
  'version-unsupported': {
    sentence: 'An unsupported version is refused with the error -32022, which lists the supported versions.',
    how: `Lists the tools in ${unknownRevision}`,
    run: async (attempt) => {
      const answered = await requestAs(await attempt.session(), unknownRevision)
      const error = responseIn(answered)?.error
      if (errorCodeOf(responseIn(answered)) !== -32022 || !isObject(error))
        return missingBecause(`Expected the error -32022; ${describeReceived(answered)}`)
      const data = isObject(error.data) ? error.data : {}
      const faults = [
        ...(Array.isArray(data.supported) ? [] : ['data.supported is not a list']),
        ...(data.requested === unknownRevision ? [] : ['data.requested is not the requested version']),
      ]
      return enforcedUnless(faults, 'Refused, with the supported versions')
    },
  },
  'version-no-memory': {
    sentence: 'After a refused version, the next request in a supported version is answered.',
    how: `Lists the tools in ${unknownRevision}, then in this revision`,
    run: async (attempt) => {
      const session = await attempt.session()
      await requestAs(session, unknownRevision)
      const after = await session.ask(session.probe)
      return enforcedIf(resultOf(after.response), 'The request was answered', describeReceived(after))
    },
  },
  'gone-initialize': {
    level: 'ADVICE',
    sentence: 'initialize is an unknown method.',
    how: 'Sends initialize with the _meta of this revision',
    run: async (attempt) => {
      const params = { protocolVersion: attempt.revision.version, capabilities: {}, clientInfo }
      return refusedWith(await attempt.requestAside('initialize', params), -32601)
    },
  },
  'gone-ping': {
    level: 'ADVICE',
    page: 'changelog',
    sentence: 'ping is an unknown method.',
    how: 'Sends a ping with the _meta of this revision',
    run: async (attempt) => refusedWith(await attempt.requestAside('ping'), -32601),
  },
})

/** Sends a request under a version, which HTTP repeats in a header. */
export function requestAs(session: Session, version: string): Promise<RequestOutcome> {
  const headers = session.wire.kind === 'http' ? { 'mcp-protocol-version': version } : {}
  return session.ask(session.probe, {}, { meta: { [metaKeys.version]: version }, headers })
}
