// A separate program that installed.test.ts compiles: every kind of definition, exported without explicit types.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { ask, inputRequired, jsonSchema, prompt, reply, resource, server, template, tool } from 'toolwire'
import { concurrency, memoryLimits, rateLimit } from 'toolwire/guard'
import { relay } from 'toolwire/relay'
import * as v from 'valibot'
import { z } from 'zod'

const hits = z.object({ hits: z.array(z.string()) })

export const none = tool({ run: () => 'pong' })
export const zod = tool({
  input: z.object({ query: z.string(), limit: z.number().default(10), tag: z.string().optional() }),
  run: ({ query, limit, tag }) => `${query} ${limit} ${tag ?? ''}`,
})
export const valibot = tool({
  input: toStandardJsonSchema(v.object({ query: v.string(), tag: v.optional(v.string()) })),
  run: ({ query }) => query,
})
export const ark = tool({ input: type({ query: 'string', 'limit?': 'number' }), run: ({ query }) => query })
export const raw = tool({
  input: jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } } }),
  run: ({ query }) => query,
})
export const anything = tool({ input: jsonSchema({ type: 'object' }), run: (input) => JSON.stringify(input) })
export const output = tool({
  input: z.object({ query: z.string() }),
  output: hits,
  run: ({ query }) => reply.structured({ hits: [query] }),
})
export const outputOnly = tool({ output: jsonSchema<number[]>({ type: 'array', items: { type: 'number' } }), run: () => [1] })
export const asking = tool({
  asks: {
    confirm: ask('Sure?', z.object({ yes: z.boolean() })),
    reason: ask('Why?', z.object({ text: z.string() }), { optional: true }),
    page: ask.url('Sign in', 'https://example.com/sign-in'),
    model: ask.model({ messages: [], maxTokens: 10 }),
    roots: ask.roots(),
  },
  run: (_, ctx) => (ctx.answers.confirm.yes ? 'done' : reply.error('not confirmed')),
})
export const rounds = tool({ run: (_, ctx) => (ctx.resumed ? 'done' : inputRequired({ roots: ask.roots() })) })
export const limited = tool({
  scopes: ['read'],
  limit: { calls: 5, per: 'hour' },
  hints: { readOnly: true },
  tags: ['slow'],
  longRunning: 'optional',
  timeout: 1_000,
  run: () => reply.content(reply.text('a'), reply.link({ uri: 'notes://a', name: 'a' })),
})
export const relayed = relay(
  { name: 'far', inputSchema: { type: 'object' } },
  { run: async () => ({ content: [], isError: false }) },
)

export const question = ask('Sure?', z.object({ yes: z.boolean() }))
export const page = ask.url('Sign in', 'https://example.com/sign-in')
export const model = ask.model({ messages: [], maxTokens: 10 })
export const roots = ask.roots()
export const answer = reply.structured({ hits: ['a'] })
export const failed = reply.error('no')
export const greet = prompt({ args: { name: { required: true }, tone: {} }, run: ({ name, tone }) => `${name} ${tone ?? ''}` })
export const readme = resource({ uri: 'notes://readme', read: () => 'text' })
export const note = template({
  uriTemplate: 'notes://{id}',
  complete: { id: (prefix) => [prefix] },
  read: ({ id }) => (id === 'gone' ? undefined : `note ${id}`),
})
export const limits = memoryLimits()
export const policies = [rateLimit({ caller: { calls: 5, per: 'hour' }, store: limits }), concurrency({ each: 5 })]

export const tools = { none, zod, valibot, ark, raw, anything, output, outputOnly, asking, rounds, limited, relayed }

export const app = server({
  name: 'shop',
  version: '1.0.0',
  tools,
  prompts: { greet },
  resources: { readme, note },
  policies,
  guard: { rateLimit: { caller: { calls: 5, per: 'minute' } } },
})
export const placed = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    ping: tool({ run: () => 'pong' }),
    search: tool({ input: z.object({ query: z.string() }), output: hits, run: ({ query }) => ({ hits: [query] }) }),
  },
})
export const empty = server({ name: 'empty', version: '1.0.0' })
export default app
