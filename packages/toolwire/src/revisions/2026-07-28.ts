// Withdraws the handshake, sessions, ping and requests from the server. Every request describes itself, and every result names its
// kind. Elicitation is a result that the client answers with a retry, and clients subscribe to changes. Adds discovery, cache hints,
// mirrored headers and schemas of any shape. Tasks become an extension.
import { codes } from '../jsonrpc/error.js'
import { v20251125 as previous } from './2025-11-25.js'
import { type ServerMethod, words } from './methods.js'
import { protocolCodes } from './protocol-codes.js'
import type { Revision } from './revision.js'

const withdrawn: readonly string[] = words(
  'initialize ping resources/subscribe resources/unsubscribe logging/setLevel tasks/result tasks/list',
)
const { headerMismatch, missingCapability, unsupportedVersion } = protocolCodes
const { parseError, invalidRequest, methodNotFound, invalidParams } = codes

const statusOfError: ReadonlyMap<number, number> = new Map([
  [methodNotFound, 404],
  ...[parseError, invalidRequest, headerMismatch, missingCapability, unsupportedVersion].map((code) => [code, 400] as const),
])

export const v20260728: Revision = {
  ...previous,
  version: '2026-07-28',
  style: 'per-request',
  methods: new Set<ServerMethod>([
    ...[...previous.methods].filter((method) => !withdrawn.includes(method)),
    ...words('server/discover subscriptions/listen tasks/update'),
  ]),
  schemaRoots: 'any',
  taskSupport: 'unlisted',
  structured: 'any',
  stamp: { resultType: 'complete', serverInfo: true },
  cacheHints: true,
  emptyCursor: 'continues',
  errors: { resourceMissing: invalidParams, missingCapability, urlRequired: undefined },
  logLevelFrom: 'request',
  asking: 'results',
  questions: { ...previous.questions, url: 'plain' },
  tasks: 'extension',
  capabilities: { ...previous.capabilities, extensions: true },
  http: {
    versionHeader: true,
    mirrored: true,
    sessions: false,
    priming: false,
    resumable: false,
    hangingUpCancels: true,
    onlyOlder: '400, 404, 405',
    statusOf: (code) => statusOfError.get(code) ?? 200,
  },
}
