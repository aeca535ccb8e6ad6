// One server with a tool of every kind, for the goldens of each revision.
import { ask, type Content, jsonSchema, reply, server, tool } from 'toolwire'
import { z } from 'zod'

const icons = [{ src: 'https://shop.example/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' as const }]
const about = {
  annotations: { audience: ['user'] as const, priority: 1, lastModified: '2025-01-12T15:00:58Z' },
  _meta: { 'com.example/n': 1 },
}

const search = tool({
  title: 'Search',
  description: 'Finds articles',
  icons,
  hints: { readOnly: true },
  _meta: { 'com.example/group': 'read' },
  input: jsonSchema<{ query: string }>({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { query: { type: 'string', 'x-mcp-header': 'Query' } },
    required: ['query'],
  }),
  output: z.object({ hits: z.array(z.string()) }),
  run: ({ query }) => ({ hits: [query] }),
})

/** An input root that older revisions cannot express, and an output that is not an object. */
const pick = tool({
  description: 'Picks by name or by number',
  input: jsonSchema<{ name?: string; number?: number }>({
    type: 'object',
    properties: { note: { type: 'string' } },
    oneOf: [
      { properties: { name: { type: 'string' }, by: { const: 'name' } }, required: ['by', 'name'] },
      { properties: { number: { type: 'integer' }, by: { const: 'number' } }, required: ['by', 'number'] },
    ],
  }),
  output: jsonSchema<string[]>({ type: 'array', items: { type: 'string' } }),
  run: () => ['a', 'b'],
})

const blocks: Content[] = [
  { type: 'text', text: 'plain' },
  { type: 'text', text: 'annotated', ...about },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', ...about },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav', ...about },
  {
    type: 'resource_link',
    uri: 'file:///a.txt',
    name: 'a',
    title: 'A',
    description: 'The first',
    mimeType: 'text/plain',
    size: 3,
    icons,
    ...about,
  },
  { type: 'resource', resource: { uri: 'file:///b.txt', text: 'b', _meta: { 'com.example/n': 2 } }, ...about },
]
const show = tool({
  description: 'Shows every kind of block',
  longRunning: 'optional',
  run: () => reply.content(...blocks).withMeta({ 'com.example/took': 3 }),
})
const fail = tool({ description: 'Fails', run: () => reply.error('No') })
const silent = tool({ run: () => undefined as never })

/** A tool that asks, for the forms of each revision. */
const form = z.object({
  name: z.string().min(1).default('Ada').describe('Yours'),
  size: z.enum(['s', 'm']).meta({ title: 'Size' }),
  loud: z.boolean().default(true),
  count: z.number().int().min(1).max(9),
})
const enquire = tool({
  description: 'Asks',
  asks: { order: ask('What may it be?', form) },
  run: (_, ctx) => ctx.answers.order.name,
})

export const shop = (options: object = {}) =>
  server({ name: 'shop', version: '1.0.0', title: 'Shop', tools: { search, pick, show, fail, silent, enquire }, ...options })
