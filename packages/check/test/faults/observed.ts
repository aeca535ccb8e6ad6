import {
  always,
  asObject,
  type Case,
  changingStream,
  dialects,
  listChanged,
  onMethod,
  stateless,
  streamed,
  withError,
  withResult,
} from './changes.js'

export const observedCases: readonly Case[] = [
  ['said-jsonrpc', dialects, onMethod('ping', (reply) => ({ ...reply, jsonrpc: '2' }))],
  ['said-one-of', dialects, onMethod('prompts/list', (reply) => ({ ...reply, result: null }))],
  ['said-error', dialects, onMethod('tools/nobody-knows-this', (reply) => withError(reply, { message: 7 }))],
  [
    'said-no-internals',
    dialects,
    onMethod('tools/nobody-knows-this', (reply) => withError(reply, { message: 'at /home/ada/shop.js' })),
  ],
  [
    'said-codes',
    stateless,
    () => ({
      changeMessage: (reply, message) => (asObject(message.params).cursor === 7 ? withError(reply, { code: -32050 }) : reply),
    }),
  ],
  ['said-result-type', stateless, onMethod('server/discover', (reply) => withResult(reply, { resultType: 7 }))],
  [
    'said-no-requests',
    stateless,
    changingStream(always, (reply) => streamed({ jsonrpc: '2.0', id: 'mine', method: 'roots/list' }, reply)),
  ],
  [
    'changes-declared',
    dialects,
    () => ({
      ...onMethod('initialize', (reply) => withResult(reply, { capabilities: { tools: {}, resources: {} } }))(),
      ...changingStream(always, (reply) => streamed(listChanged, reply))(),
    }),
  ],
  ['changes-unasked', stateless, changingStream(always, (reply) => streamed(listChanged, reply))],
]
