import { checksOf } from '../../check.js'
import { isObject, jsonOf } from '../../json.js'
import { handshakeRevisions, perRequest, since } from '../../revisions.js'
import { clientInfo, errorCodeOf, resultOf } from '../../session/session.js'
import { enforced, enforcedIf, enforcedIfAll, missingBecause, notTried } from '../../verdict.js'
import { describeReceived, goesOn, refusedAnyhow } from '../refusals.js'

/** A version that was never published. */
const unknownRevision = '1900-01-01'
const invalidParams = -32602

export const handshakeChecks = checksOf({ level: 'MUST', revisions: handshakeRevisions, page: 'basic/lifecycle' })({
  'open-result': {
    sentence: 'The result of initialize has the version, the capabilities, and the name and version of the server.',
    how: 'Reads the result of initialize',
    run: async (attempt) => {
      const { capabilities, serverInfo } = await attempt.opening()
      const info = isObject(serverInfo) ? serverInfo : {}
      return enforcedIfAll('All fields are present', {
        'capabilities is not an object': isObject(capabilities),
        'serverInfo.name is not a string': typeof info.name === 'string',
        'serverInfo.version is not a string': typeof info.version === 'string',
      })
    },
  },
  'open-unknown-version': {
    sentence: 'A server answers an unknown version with a version that it supports.',
    how: `Offers ${unknownRevision}`,
    run: async (attempt) => {
      const offer = { protocolVersion: unknownRevision, capabilities: {}, clientInfo }
      const answered = await attempt.requestFirst('initialize', offer)
      const result = resultOf(answered.response)
      // The page demands another version in the result, but shows an error as its example.
      if (errorCodeOf(answered.response) === invalidParams) return enforced(`Refused with ${invalidParams}`)
      if (!result) return missingBecause(`Expected another version; ${describeReceived(answered)}`)
      const { protocolVersion: version } = result
      const isAnother = typeof version === 'string' && version !== unknownRevision
      return enforcedIf(isAnother, `The server answered with ${version}`, `The server answered with ${jsonOf(version)}`)
    },
  },
  'open-first': {
    level: 'ADVICE',
    sentence: 'Before initialize, only a ping is carried out.',
    how: 'Lists the tools in a new session, before initialize',
    run: async (attempt) => {
      const { wire, state: sessionState } = await attempt.session()
      // Without sessions, a request does not say which handshake it follows.
      if (wire.kind === 'http' && sessionState.session === undefined) return notTried('The server has no sessions')
      if (attempt.probe === 'ping') return notTried('The server answers only pings')
      return refusedAnyhow(await attempt.requestFirst(attempt.probe))
    },
  },
  'open-twice': {
    level: 'ADVICE',
    sentence: 'A second initialize does not break the session.',
    how: 'Sends initialize again, then lists the tools',
    run: async (attempt) => {
      const session = await attempt.newSession()
      await session.ask('initialize', { protocolVersion: session.revision.version, capabilities: {}, clientInfo })
      return goesOn(session, 'The session goes on')
    },
  },
  'open-tools-declared': {
    revisions: [...handshakeRevisions, ...since(perRequest)],
    page: 'server/tools',
    sentence: 'A server that has tools declares the capability tools.',
    how: 'Reads the declared capabilities, and lists the tools',
    run: async (attempt) => {
      const { tools } = await attempt.capabilities()
      if (isObject(tools)) return enforced('The capability is declared')
      // spec 2026-07-28, server/tools#capabilities: a server that answers tools/list declares tools, even if it has none.
      const listed = attempt.revision.handshake ? await attempt.tools() : await attempt.pages()
      return enforcedIf(
        listed.length === 0,
        'The server has no tools and declares none',
        'The server lists tools but does not declare them',
      )
    },
  },
})
