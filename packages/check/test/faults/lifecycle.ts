import {
  asObject,
  type Case,
  clientCapabilities,
  dialects,
  metaOf,
  onMethod,
  stateless,
  version,
  withError,
  withResult,
} from './changes.js'

export const openingCases: readonly Case[] = [
  ['open-result', dialects, onMethod('initialize', (said) => withResult(said, { serverInfo: { name: 'shop' } }))],
  [
    'open-unknown-version',
    dialects,
    () => ({
      changeMessage: (said, message) =>
        asObject(message.params).protocolVersion === '1900-01-01' ? withResult(said, { protocolVersion: '1900-01-01' }) : said,
    }),
  ],
  [
    'open-first',
    dialects,
    () => ({
      instead: ({ headers }, { method, id = null }) =>
        method === 'tools/list' && headers['mcp-protocol-version'] === undefined
          ? { text: JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }) }
          : undefined,
    }),
  ],
  ['open-tools-declared', dialects, onMethod('initialize', (said) => withResult(said, { capabilities: { resources: {} } }))],
  ['discover-answered', stateless, onMethod('server/discover', (said) => withResult(said, { ttlMs: 'soon' }))],
  ['discover-versions', stateless, onMethod('server/discover', (said) => withResult(said, { supportedVersions: [] }))],
  ['meta-server-named', stateless, onMethod('tools/list', (said) => withResult(said, { _meta: {} }))],
  [
    'meta-required',
    stateless,
    () => ({
      changeMessage: (said, message) =>
        message.method === 'tools/list' &&
        metaOf(message)[clientCapabilities] === undefined &&
        'error' in said &&
        !Array.isArray(message)
          ? withError(said, { code: -32600 })
          : said,
    }),
  ],
  [
    'version-unsupported',
    stateless,
    () => ({
      changeMessage: (said, message) =>
        metaOf(message)[version] === '1900-01-01' && asObject(said.error).code === -32022 ? withError(said, { data: {} }) : said,
    }),
  ],
  ['gone-initialize', stateless, onMethod('initialize', (said) => withError(said, { code: -32603 }))],
  ['gone-ping', stateless, onMethod('ping', ({ id = null }) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete' } }))],
  [
    'open-twice',
    dialects,
    () => {
      const spoiled = new Set<string | undefined>()
      return {
        instead: ({ headers }, { method }) => {
          const session = headers['mcp-session-id']
          if (method === 'initialize' && session !== undefined) spoiled.add(session)
          return method === 'tools/list' && spoiled.has(session) ? { status: 409 } : undefined
        },
      }
    },
  ],
  [
    'version-no-memory',
    stateless,
    () => {
      const spoiled = new Set<number>()
      return {
        instead: (_, message) => {
          if (message.method !== 'tools/list') return undefined
          // Without sessions, only the ids tell the conversations apart. They restart at a new thousand in each conversation.
          const conversation = Math.floor(Number(message.id) / 1_000)
          const before = spoiled.delete(conversation)
          const spoils = metaOf(message)[version] === '1900-01-01'
          if (spoils) spoiled.add(conversation)
          return before && !spoils ? { status: 409 } : undefined
        },
      }
    },
  ],
]
