// Requests that say everything about themselves: no handshake, no ping, no requests from the server.
import { stateless } from '../editions.js'
import { isObject } from '../json.js'
import type { Row } from '../row.js'
import { type Answered, clientInfo, codeOf, metaKeys, resultOf, type Talk } from '../talk.js'
import { enforced, missing, unless } from '../verdict.js'
import { hintFaults } from './cache-hints.js'
import { answerIn, outcomeOf, refusedWith } from './refused.js'

const editions = [stateless]
const nobodys = '1900-01-01'

export const selfDescribingRows: readonly Row[] = [
  {
    id: 'discover-answered',
    level: 'MUST',
    editions,
    page: 'server/discover',
    sentence: 'server/discover says which versions are spoken, the capabilities, and how long that holds.',
    how: 'Asks for server/discover',
    run: async (trial) => {
      const answered = await (await trial.talk()).ask('server/discover')
      const result = resultOf(answered.response)
      if (!result) return missing(outcomeOf(answered))
      const faults = [
        ...(Array.isArray(result.supportedVersions) ? [] : ['supportedVersions is no list']),
        ...(isObject(result.capabilities) ? [] : ['capabilities is no object']),
        ...hintFaults(result),
      ]
      return unless(faults, 'All of it is there')
    },
  },
  {
    id: 'discover-versions',
    level: 'SHOULD',
    editions,
    page: 'server/discover',
    sentence: 'The versions that server/discover lists include the one that is being spoken.',
    how: 'Asks for server/discover',
    run: async (trial) => {
      const { supportedVersions } = await trial.opening()
      const { version } = trial.edition
      const has = Array.isArray(supportedVersions) && supportedVersions.includes(version)
      return has ? enforced('It is listed') : missing(`${version} is not in ${JSON.stringify(supportedVersions)}`)
    },
  },
  {
    id: 'meta-server-named',
    level: 'SHOULD',
    editions,
    page: 'basic',
    sentence: 'A result names the server in its _meta.',
    how: 'Reads the _meta of a list of tools',
    run: async (trial) => {
      const result = resultOf((await (await trial.talk()).ask('tools/list')).response)
      const server = isObject(result?._meta) ? result._meta[metaKeys.server] : undefined
      return isObject(server) ? enforced('It is named') : missing('The result does not name it')
    },
  },
  {
    id: 'meta-required',
    level: 'MUST',
    editions,
    page: 'basic',
    sentence: 'A request without the capabilities of the client in its _meta is refused with the error -32602.',
    how: 'Lists the tools without them',
    run: async (trial) =>
      refusedWith(await (await trial.talk()).ask('tools/list', {}, { meta: { [metaKeys.capabilities]: undefined } }), -32602),
  },
  {
    id: 'version-unsupported',
    level: 'MUST',
    editions,
    page: 'basic/versioning',
    sentence: 'A version that is not spoken is refused with the error -32022, which names those that are.',
    how: `Lists the tools in ${nobodys}`,
    run: async (trial) => {
      const answered = await listIn(await trial.talk(), nobodys)
      const error = answerIn(answered)?.error
      if (codeOf(answerIn(answered)) !== -32022 || !isObject(error))
        return missing(`Wanted the error -32022; ${outcomeOf(answered)}`)
      const data = isObject(error.data) ? error.data : {}
      const faults = [
        ...(Array.isArray(data.supported) ? [] : ['data.supported is no list']),
        ...(data.requested === nobodys ? [] : ['data.requested is not what was asked for']),
      ]
      return unless(faults, 'Refused, with the versions to choose from')
    },
  },
  {
    id: 'version-no-memory',
    level: 'MUST',
    editions,
    page: 'basic/versioning',
    sentence: 'A refused version spoils nothing: the next request in a version that is spoken is answered.',
    how: `Lists the tools in ${nobodys}, then in this edition`,
    run: async (trial) => {
      const talk = await trial.talk()
      await listIn(talk, nobodys)
      const after = await talk.ask('tools/list')
      return resultOf(after.response) ? enforced('It is answered') : missing(outcomeOf(after))
    },
  },
  {
    id: 'gone-initialize',
    level: 'ADVICE',
    editions,
    page: 'basic/versioning',
    sentence: 'initialize is a method nobody knows when the request describes itself.',
    how: 'Sends initialize with the _meta of this edition',
    run: async (trial) => {
      const params = { protocolVersion: trial.edition.version, capabilities: {}, clientInfo }
      return refusedWith(await trial.askAside('initialize', params), -32601)
    },
  },
  {
    id: 'gone-ping',
    level: 'ADVICE',
    editions,
    page: 'changelog',
    sentence: 'ping is a method nobody knows.',
    how: 'Sends a ping with the _meta of this edition',
    run: async (trial) => refusedWith(await trial.askAside('ping'), -32601),
  },
]

/** Lists the tools in a version, which HTTP says twice. */
export function listIn(talk: Talk, version: string): Promise<Answered> {
  const headers = talk.wire.kind === 'http' ? { 'mcp-protocol-version': version } : {}
  return talk.ask('tools/list', {}, { meta: { [metaKeys.version]: version }, headers })
}
