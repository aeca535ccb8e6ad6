import {
  asObject,
  body,
  buying,
  type Case,
  dialects,
  first,
  hearing,
  inLists,
  onMethod,
  stateless,
  streamable,
  structured,
  withResult,
} from './changes.js'

export const listsCases: readonly Case[] = [
  ['list-description', dialects, buying({ description: ' ' })],
  ['list-names', dialects, buying({ name: 'b y' })],
  ['list-names-unique', dialects, inLists((tools) => [...tools, ...tools.slice(-1)])],
  ['list-annotations', dialects, buying({ annotations: { readOnlyHint: 'no' } })],
  ['list-no-annotations', first, buying({ annotations: { readOnlyHint: false } })],
  ['list-no-output-schema', streamable, buying({ outputSchema: { type: 'object' } })],
  ['list-no-title', streamable, buying({ title: 'Buy' })],
  ['list-no-icons', structured, buying({ icons: [] })],
  ['list-no-execution', stateless, buying({ execution: {} })],
  [
    'list-order',
    stateless,
    () => {
      let turn = 0
      return inLists((tools) => (turn++ % 2 === 0 ? tools : tools.toReversed()))()
    },
  ],
  ['list-cache-hints', stateless, onMethod('tools/list', (said) => withResult(said, { cacheScope: 'mine' }))],
  [
    'page-unknown-cursor',
    dialects,
    hearing(
      (message) => asObject(message.params).cursor === 'made-up-by-a-check',
      (message) => ({ ...message, params: {} }),
    ),
  ],
  [
    'page-cursor-kind',
    dialects,
    hearing(
      (message) => asObject(message.params).cursor === 7,
      (message) => ({ ...message, params: {} }),
    ),
  ],
  ['page-next-cursor', dialects, onMethod('tools/list', (said) => withResult(said, { nextCursor: null }))],
  [
    'page-end',
    dialects,
    () => ({
      hear: (_, message) => (asObject(message.params).cursor === 'again' ? body({ ...message, params: {} }) : undefined),
      say: (said, message) => (message.method === 'tools/list' ? withResult(said, { nextCursor: 'again', tools: [] }) : said),
    }),
  ],
  [
    'list-shape',
    dialects,
    inLists((tools) => tools.map((tool) => (tool.name === 'buy' ? { name: 'buy', description: 'Buys' } : tool))),
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
        ...inLists((tools) => {
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
      say: (said, message) =>
        message.method === 'tools/list' && asObject(message.params).cursor !== undefined
          ? withResult(said, { cacheScope: asObject(said.result).cacheScope === 'public' ? 'private' : 'public' })
          : said,
    }),
  ],
]
