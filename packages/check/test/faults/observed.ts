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
  ['said-jsonrpc', dialects, onMethod('ping', (said) => ({ ...said, jsonrpc: '2' }))],
  ['said-one-of', dialects, onMethod('prompts/list', (said) => ({ ...said, result: null }))],
  ['said-error', dialects, onMethod('tools/nobody-knows-this', (said) => withError(said, { message: 7 }))],
  [
    'said-no-internals',
    dialects,
    onMethod('tools/nobody-knows-this', (said) => withError(said, { message: 'at /home/ada/shop.js' })),
  ],
  [
    'said-codes',
    stateless,
    () => ({
      changeMessage: (said, message) => (asObject(message.params).cursor === 7 ? withError(said, { code: -32050 }) : said),
    }),
  ],
  ['said-result-type', stateless, onMethod('server/discover', (said) => withResult(said, { resultType: 7 }))],
  [
    'said-no-requests',
    stateless,
    changingStream(always, (said) => streamed({ jsonrpc: '2.0', id: 'mine', method: 'roots/list' }, said)),
  ],
  [
    'changes-declared',
    dialects,
    () => ({
      ...onMethod('initialize', (said) => withResult(said, { capabilities: { tools: {}, resources: {} } }))(),
      ...changingStream(always, (said) => streamed(listChanged, said))(),
    }),
  ],
  ['changes-unasked', stateless, changingStream(always, (said) => streamed(listChanged, said))],
]
