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
  ['open-result', dialects, onMethod('initialize', (reply) => withResult(reply, { serverInfo: { name: 'shop' } }))],
  [
    'open-unknown-version',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        asObject(message.params).protocolVersion === '1900-01-01' ? withResult(reply, { protocolVersion: '1900-01-01' }) : reply,
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
  ['open-tools-declared', dialects, onMethod('initialize', (reply) => withResult(reply, { capabilities: { resources: {} } }))],
  ['discover-answered', stateless, onMethod('server/discover', (reply) => withResult(reply, { ttlMs: 'soon' }))],
  ['discover-versions', stateless, onMethod('server/discover', (reply) => withResult(reply, { supportedVersions: [] }))],
  ['meta-server-named', stateless, onMethod('tools/list', (reply) => withResult(reply, { _meta: {} }))],
  [
    'meta-required',
    stateless,
    () => ({
      changeMessage: (reply, message) =>
        message.method === 'tools/list' &&
        metaOf(message)[clientCapabilities] === undefined &&
        'error' in reply &&
        !Array.isArray(message)
          ? withError(reply, { code: -32600 })
          : reply,
    }),
  ],
  [
    'version-unsupported',
    stateless,
    () => ({
      changeMessage: (reply, message) =>
        metaOf(message)[version] === '1900-01-01' && asObject(reply.error).code === -32022
          ? withError(reply, { data: {} })
          : reply,
    }),
  ],
  ['gone-initialize', stateless, onMethod('initialize', (reply) => withError(reply, { code: -32603 }))],
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
