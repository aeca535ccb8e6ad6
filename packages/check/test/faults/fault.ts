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
  ['base-id-echoed', dialects, () => ({ changeMessage: (reply) => (reply.id === '7' ? { ...reply, id: 7 } : reply) })],
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
  ['base-unknown-method', dialects, onMethod('tools/nobody-knows-this', (reply) => withError(reply, { code: -32603 }))],
  [
    'base-undeclared-capability',
    dialects,
    onMethod('prompts/list', ({ id = null }) => ({ jsonrpc: '2.0', id, result: { prompts: [] } })),
  ],
  ['base-ping', dialects, onMethod('ping', (reply) => withResult(reply, { pong: true }))],
  [
    'base-params-shape',
    dialects,
    () => ({
      changeMessage: (reply, message) => (toolOf(message) === 7 ? { jsonrpc: '2.0', id: reply.id ?? null, result: {} } : reply),
    }),
  ],
  ['base-parse-error', dialects, changed('{bad', (reply) => withError(reply, { code: -32600 }))],
  [
    'base-invalid-request',
    dialects,
    changed('{"jsonrpc":"2.0","id":1,"method":7}', (reply) => withError(reply, { code: -32603 })),
  ],
  ['base-unreadable-id-omitted', dialects, changed('{bad', (reply) => ({ ...reply, id: null }))],
  ['base-unreadable-id-null', structured, changed('{bad', (reply) => ({ ...reply, id: 'server-error' }))],
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
  ['batch-empty', streamable, changed('[]', (reply) => withError(reply, { code: -32603 }))],
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
