import {
  type Case,
  changed,
  dialects,
  onMethod,
  refusal,
  replacingRequest,
  streamable,
  structured,
  toolOf,
  withError,
  withResult,
} from './changes.js'

export const baseCases: readonly Case[] = [
  ['base-id-echoed', dialects, () => ({ changeMessage: (said) => (said.id === '7' ? { ...said, id: 7 } : said) })],
  [
    'base-id-kinds',
    dialects,
    replacingRequest(
      ({ id }) => id === 1.5,
      (message) => ({ ...message, id: 1 }),
    ),
  ],
  [
    'base-jsonrpc',
    dialects,
    replacingRequest(
      ({ jsonrpc }) => jsonrpc === '1.0',
      (message) => ({ ...message, jsonrpc: '2.0' }),
    ),
  ],
  ['base-unknown-method', dialects, onMethod('tools/nobody-knows-this', (said) => withError(said, { code: -32603 }))],
  [
    'base-undeclared-capability',
    dialects,
    onMethod('prompts/list', ({ id = null }) => ({ jsonrpc: '2.0', id, result: { prompts: [] } })),
  ],
  ['base-ping', dialects, onMethod('ping', (said) => withResult(said, { pong: true }))],
  [
    'base-params-shape',
    dialects,
    () => ({
      changeMessage: (said, message) => (toolOf(message) === 7 ? { jsonrpc: '2.0', id: said.id ?? null, result: {} } : said),
    }),
  ],
  ['base-parse-error', dialects, changed('{bad', (said) => withError(said, { code: -32600 }))],
  ['base-invalid-request', dialects, changed('{"jsonrpc":"2.0","id":1,"method":7}', (said) => withError(said, { code: -32603 }))],
  ['base-unreadable-id-omitted', dialects, changed('{bad', (said) => ({ ...said, id: null }))],
  ['base-unreadable-id-null', structured, changed('{bad', (said) => ({ ...said, id: 'server-error' }))],
  [
    'base-utf8',
    dialects,
    () => ({
      changeRequest: ({ body: bytes }) =>
        bytes.includes(0xff) ? { body: Buffer.from(bytes.map((byte) => (byte === 0xff ? 0x78 : byte))) } : undefined,
    }),
  ],
  [
    'base-duplicate-keys',
    dialects,
    () => ({
      changeRequest: ({ body: bytes }) => ({
        body: Buffer.from(bytes.toString('latin1').replace('"method":"tools/nobody-knows-this","method"', '"method"'), 'latin1'),
      }),
    }),
  ],
  [
    'batch-answered',
    streamable,
    () => ({
      changeResponse: ({ text }, message) =>
        Array.isArray(message) && message.length === 3 ? { text: JSON.stringify(JSON.parse(text).slice(1)) } : undefined,
    }),
  ],
  [
    'batch-notifications',
    streamable,
    () => ({
      changeResponse: ({ text }, message) =>
        Array.isArray(message) && message.length === 3
          ? { text: JSON.stringify([{ jsonrpc: '2.0', id: 0, result: {} }, ...JSON.parse(text)]) }
          : undefined,
    }),
  ],
  ['batch-empty', streamable, changed('[]', (said) => withError(said, { code: -32603 }))],
  [
    'batch-refused',
    dialects,
    replacingRequest(
      (message) => Array.isArray(message),
      (message) => (Array.isArray(message) ? message[0] : message),
    ),
  ],
  [
    'base-notification-silent',
    dialects,
    () => ({ instead: (_, { method }) => (method === 'notifications/nobody-knows-this' ? refusal(200) : undefined) }),
  ],
]
