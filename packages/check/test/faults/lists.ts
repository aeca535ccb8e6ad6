import {
  asObject,
  body,
  type Case,
  changingBuyTool,
  changingTools,
  dialects,
  first,
  onMethod,
  replacingRequest,
  stateless,
  streamable,
  structured,
  withResult,
} from './changes.js'

export const listsCases: readonly Case[] = [
  ['list-description', dialects, changingBuyTool({ description: ' ' })],
  ['list-names', dialects, changingBuyTool({ name: 'b y' })],
  ['list-names-unique', dialects, changingTools((tools) => [...tools, ...tools.slice(-1)])],
  ['list-annotations', dialects, changingBuyTool({ annotations: { readOnlyHint: 'no' } })],
  ['list-no-annotations', first, changingBuyTool({ annotations: { readOnlyHint: false } })],
  ['list-no-output-schema', streamable, changingBuyTool({ outputSchema: { type: 'object' } })],
  ['list-no-title', streamable, changingBuyTool({ title: 'Buy' })],
  ['list-no-icons', structured, changingBuyTool({ icons: [] })],
  ['list-no-execution', stateless, changingBuyTool({ execution: {} })],
  [
    'list-order',
    stateless,
    () => {
      let turn = 0
      return changingTools((tools) => (turn++ % 2 === 0 ? tools : tools.toReversed()))()
    },
  ],
  ['list-cache-hints', stateless, onMethod('tools/list', (reply) => withResult(reply, { cacheScope: 'mine' }))],
  [
    'page-unknown-cursor',
    dialects,
    replacingRequest(
      (message) => asObject(message.params).cursor === 'made-up-by-a-check',
      (message) => ({ ...message, params: {} }),
    ),
  ],
  [
    'page-cursor-kind',
    dialects,
    replacingRequest(
      (message) => asObject(message.params).cursor === 7,
      (message) => ({ ...message, params: {} }),
    ),
  ],
  ['page-next-cursor', dialects, onMethod('tools/list', (reply) => withResult(reply, { nextCursor: null }))],
  [
    'page-end',
    dialects,
    () => ({
      changeRequest: (_, message) => (asObject(message.params).cursor === 'again' ? body({ ...message, params: {} }) : undefined),
      changeMessage: (reply, message) =>
        message.method === 'tools/list' ? withResult(reply, { nextCursor: 'again', tools: [] }) : reply,
    }),
  ],
  [
    'list-shape',
    dialects,
    changingTools((tools) => tools.map((tool) => (tool.name === 'buy' ? { name: 'buy', description: 'Buys' } : tool))),
  ],
  [
    'list-same-everywhere',
    stateless,
    () => {
      let opened = 0
      return {
        instead: (_, { method }) => {
          if (method === 'server/discover') opened++
          return undefined
        },
        ...changingTools((tools) => {
          const shown = opened > 1 ? tools.slice(0, -1) : tools
          opened = 1
          return shown
        })(),
      }
    },
  ],
  [
    'page-same-scope',
    stateless,
    () => ({
      changeMessage: (reply, message) =>
        message.method === 'tools/list' && asObject(message.params).cursor !== undefined
          ? withResult(reply, { cacheScope: asObject(reply.result).cacheScope === 'public' ? 'private' : 'public' })
          : reply,
    }),
  ],
]
