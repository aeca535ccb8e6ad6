import { argumentsOf, asObject, type Case, dialects, firstTime, replacingRequest, toolOf, withArguments } from './changes.js'

export const argumentsCases: readonly Case[] = [
  [
    'arguments-missing',
    dialects,
    firstTime(
      (message) => toolOf(message) === 'add' && !('a' in argumentsOf(message)),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-type',
    dialects,
    replacingRequest(
      (message) => Array.isArray(argumentsOf(message).a),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-extra',
    dialects,
    replacingRequest(
      (message) => 'nobody-has-this' in argumentsOf(message),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-refusal',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 'add' && asObject(reply.result).isError === true
          ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32602, message: 'No' } }
          : reply,
    }),
  ],
  [
    'arguments-no-object',
    dialects,
    replacingRequest(
      (message) => Array.isArray(asObject(message.params).arguments),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-absent',
    dialects,
    () => ({
      changeMessage: (reply, message) =>
        toolOf(message) === 'picture' && !('arguments' in asObject(message.params))
          ? { jsonrpc: '2.0', id: reply.id ?? null, error: { code: -32602, message: 'No' } }
          : reply,
    }),
  ],
]
