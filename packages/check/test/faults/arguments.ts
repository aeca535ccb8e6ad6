import { argumentsOf, asObject, type Case, dialects, firstTime, hearing, toolOf, withArguments } from './changes.js'

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
    hearing(
      (message) => Array.isArray(argumentsOf(message).a),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-extra',
    dialects,
    hearing(
      (message) => 'nobody-has-this' in argumentsOf(message),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-refusal',
    dialects,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'add' && asObject(said.result).isError === true
          ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32602, message: 'No' } }
          : said,
    }),
  ],
  [
    'arguments-no-object',
    dialects,
    hearing(
      (message) => Array.isArray(asObject(message.params).arguments),
      (message) => withArguments(message, { a: 1, b: 1 }),
    ),
  ],
  [
    'arguments-absent',
    dialects,
    () => ({
      say: (said, message) =>
        toolOf(message) === 'picture' && !('arguments' in asObject(message.params))
          ? { jsonrpc: '2.0', id: said.id ?? null, error: { code: -32602, message: 'No' } }
          : said,
    }),
  ],
]
