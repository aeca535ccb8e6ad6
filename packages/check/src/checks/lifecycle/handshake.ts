// How a conversation is opened where it is.

import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions, perRequest, since } from '../../revisions.js'
import { clientInfo, errorCodeOf, resultOf } from '../../session/session.js'
import { enforced, enforcedUnless, missingBecause, notTried } from '../../verdict.js'
import { describeReceived, refusedAnyhow } from '../refusals.js'

const page = 'basic/lifecycle'
/** A version nobody has published. */
const unknownRevision = '1900-01-01'
const invalidParams = -32602

export const handshakeChecks: readonly Check[] = [
  {
    id: 'open-result',
    level: 'MUST',
    revisions: handshakeRevisions,
    page,
    sentence: 'The answer to initialize says the version, the capabilities, and the name and version of the server.',
    how: 'Reads the answer to initialize',
    run: async (attempt) => {
      const { capabilities, serverInfo } = await attempt.opening()
      const info = isObject(serverInfo) ? serverInfo : {}
      const faults = [
        ...(isObject(capabilities) ? [] : ['capabilities is no object']),
        ...(typeof info.name === 'string' ? [] : ['serverInfo.name is no text']),
        ...(typeof info.version === 'string' ? [] : ['serverInfo.version is no text']),
      ]
      return enforcedUnless(faults, 'All of it is there')
    },
  },
  {
    id: 'open-unknown-version',
    level: 'MUST',
    revisions: handshakeRevisions,
    page,
    sentence: 'To a version it does not know a server answers with one that it does.',
    how: `Offers ${unknownRevision}`,
    run: async (attempt) => {
      const answered = await attempt.requestFirst('initialize', {
        protocolVersion: unknownRevision,
        capabilities: {},
        clientInfo,
      })
      const result = resultOf(answered.response)
      // The page demands a version, and shows an error as its example.
      if (errorCodeOf(answered.response) === invalidParams) return enforced(`Refused with ${invalidParams}`)
      if (!result) return missingBecause(`Wanted another version; ${describeReceived(answered)}`)
      const { protocolVersion: version } = result
      const isAnother = typeof version === 'string' && version !== unknownRevision
      return isAnother ? enforced(`It answered with ${version}`) : missingBecause(`It answered with ${JSON.stringify(version)}`)
    },
  },
  {
    id: 'open-first',
    level: 'ADVICE',
    revisions: handshakeRevisions,
    page,
    sentence: 'Nothing but a ping is carried out before the conversation is opened.',
    how: 'Lists the tools in a new conversation, before initialize',
    run: async (attempt) => {
      const { wire, state: sessionState } = await attempt.session()
      // Then nothing in a request says which conversation it belongs to.
      if (wire.kind === 'http' && sessionState.session === undefined) return notTried('The server has no sessions')
      return refusedAnyhow(await attempt.requestFirst('tools/list'))
    },
  },
  {
    id: 'open-twice',
    level: 'ADVICE',
    revisions: handshakeRevisions,
    page,
    sentence: 'A second initialize does not spoil the conversation.',
    how: 'Sends initialize again, then lists the tools',
    run: async (attempt) => {
      const session = await attempt.newSession()
      await session.ask('initialize', { protocolVersion: session.revision.version, capabilities: {}, clientInfo })
      const after = await session.ask('tools/list')
      return resultOf(after.response)
        ? enforced('The conversation goes on')
        : missingBecause(`Listing the tools afterwards: ${describeReceived(after)}`)
    },
  },
  {
    id: 'open-tools-declared',
    level: 'MUST',
    revisions: [...handshakeRevisions, ...since(perRequest)],
    page: 'server/tools',
    sentence: 'A server that has tools declares the capability tools.',
    how: 'Reads the declared capabilities, and lists the tools',
    run: async (attempt) => {
      const { tools } = await attempt.capabilities()
      if (isObject(tools)) return enforced('It is declared')
      const pages = await attempt.pages()
      return pages.length === 0
        ? enforced('It has no tools and declares none')
        : missingBecause('It lists tools but does not declare them')
    },
  },
]
