// Withdraws the handshake, sessions, ping and requests from the server: every request describes itself, every result names its
// kind, questions are results to be answered by a retry, changes are subscribed to. Adds discovery, cache hints, mirrored headers
// and schemas of any shape; tasks become an extension.
import { v20251125 as previous } from './2025-11-25.js'
import type { Revision } from './revision.js'

const withdrawn = [
  'initialize',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'tasks/result',
  'tasks/list',
]
const errors = { headerMismatch: -32020, missingCapability: -32021, unsupportedVersion: -32022 } as const
const badRequest: ReadonlySet<number> = new Set([...Object.values(errors), -32700, -32600])

export const v20260728: Revision = {
  ...previous,
  version: '2026-07-28',
  opening: 'per-request',
  methods: new Set([
    ...[...previous.methods].filter((method) => !withdrawn.includes(method)),
    'server/discover',
    'subscriptions/listen',
    'tasks/update',
  ]),
  schemaRoots: 'any',
  taskSupport: 'unlisted',
  structured: 'any',
  stamp: { resultType: 'complete', serverInfo: true },
  cacheHints: true,
  errors: { resourceMissing: -32602, missingCapability: errors.missingCapability, urlRequired: undefined },
  logLevelFrom: 'request',
  asking: 'results',
  questions: { ...previous.questions, url: 'plain' },
  changes: 'subscribed',
  tasks: 'extension',
  capabilities: { ...previous.capabilities, extensions: true },
  http: {
    versionHeader: 'required',
    mirrored: true,
    sessions: false,
    priming: false,
    resumable: false,
    disconnectCancels: true,
    statusOf: (code) => (code === -32601 ? 404 : badRequest.has(code) ? 400 : 200),
  },
}
