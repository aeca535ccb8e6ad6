import { buying, type Case, dialects, marked, stateless } from './changes.js'

export const schemasCases: readonly Case[] = [
  ['schema-input-object', dialects, buying({ inputSchema: { type: ['object'], additionalProperties: false } })],
  ['schema-input-compiles', dialects, buying({ inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } })],
  ['schema-output-object', dialects, buying({ outputSchema: { type: 'array' } })],
  ['schema-output-compiles', dialects, buying({ outputSchema: { type: 'object', required: 7 } })],
  ['schema-no-arguments', dialects, buying({ inputSchema: { type: 'object' } })],
  ['mark-token', stateless, buying({ inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'My Region' } }) })],
  [
    'mark-unique',
    stateless,
    buying({ inputSchema: marked({ a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } }) }),
  ],
  ['mark-kind', stateless, buying({ inputSchema: marked({ a: { type: 'number', 'x-mcp-header': 'R' } }) })],
  [
    'mark-reachable',
    stateless,
    buying({ inputSchema: marked({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'R' } } }) }),
  ],
  ['mark-sensitive', stateless, buying({ inputSchema: marked({ password: { type: 'string', 'x-mcp-header': 'R' } }) })],
  [
    'schema-no-remote',
    stateless,
    buying({ inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } }),
  ],
]
