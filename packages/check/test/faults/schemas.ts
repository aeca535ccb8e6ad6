import { type Case, changingBuyTool, dialects, marked, stateless } from './changes.js'

export const schemasCases: readonly Case[] = [
  ['schema-input-object', dialects, changingBuyTool({ inputSchema: { type: ['object'], additionalProperties: false } })],
  [
    'schema-input-compiles',
    dialects,
    changingBuyTool({ inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
  ],
  ['schema-output-object', dialects, changingBuyTool({ outputSchema: { type: 'array' } })],
  ['schema-output-compiles', dialects, changingBuyTool({ outputSchema: { type: 'object', required: 7 } })],
  ['schema-no-arguments', dialects, changingBuyTool({ inputSchema: { type: 'object' } })],
  ['mark-token', stateless, changingBuyTool({ inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'My Region' } }) })],
  [
    'mark-unique',
    stateless,
    changingBuyTool({
      inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } }),
    }),
  ],
  ['mark-kind', stateless, changingBuyTool({ inputSchema: marked({ a: { type: 'number', 'x-mcp-header': 'R' } }) })],
  [
    'mark-reachable',
    stateless,
    changingBuyTool({ inputSchema: marked({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'R' } } }) }),
  ],
  ['mark-sensitive', stateless, changingBuyTool({ inputSchema: marked({ password: { type: 'string', 'x-mcp-header': 'R' } }) })],
  [
    'schema-no-remote',
    stateless,
    changingBuyTool({ inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } }),
  ],
]
