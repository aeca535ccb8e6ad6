// Checked by `tsc -p tsconfig.json` alone: the types of a handler follow from the definition.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { ask, inputRequired, jsonSchema, reply, server, tool } from 'toolwire'
import { defineRules } from 'toolwire/rules'
import * as v from 'valibot'
import { z } from 'zod'
import type { InputOf, OutputOf } from '../../src/tools/standard-schema.js'
import { type Equal, is } from './equal.js'

const fields = z.object({ query: z.string(), limit: z.number().int().default(10), tags: z.array(z.string()).optional() })
type Fields = { query: string; limit: number; tags?: string[] | undefined }
const hits = z.object({ hits: z.array(z.string()) })

// The handler receives the parsed input: with defaults and transforms applied.

export const zod = tool({
  input: fields,
  run: (input) => {
    is<Equal<typeof input, Fields>>()
    return input.query
  },
})

tool({
  input: z.object({ when: z.string().transform((text) => new Date(text)) }),
  run: ({ when }) => {
    is<Equal<typeof when, Date>>()
    return when.toISOString()
  },
})

export const valibot = tool({
  input: toStandardJsonSchema(v.object({ query: v.string(), limit: v.optional(v.number(), 10) })),
  run: (input) => {
    is<Equal<typeof input, { query: string; limit: number }>>()
    return input.query
  },
})

export const ark = tool({
  input: type({ query: 'string', 'limit?': 'number' }),
  run: (input) => {
    is<Equal<typeof input, { query: string; limit?: number }>>()
    return input.query
  },
})

export const raw = tool({
  input: jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }),
  run: (input) => {
    is<Equal<typeof input, { query: string }>>()
    return input.query
  },
})

const frozen = { type: 'object', properties: { query: { type: 'string', enum: ['a', 'b'] } }, required: ['query'] } as const
jsonSchema<{ query: 'a' | 'b' }>(frozen)

export const none = tool({
  limit: { calls: 5, per: 'hour' },
  run: (input) => {
    is<Equal<typeof input, Record<string, never>>>()
    return 'pong'
  },
})

// @ts-expect-error unknown field of the input
tool({ input: fields, run: ({ qury }) => String(qury) })
// @ts-expect-error without an input there are no fields
tool({ run: ({ query }) => query.toUpperCase() })
// @ts-expect-error an input is a schema
tool({ input: { query: 'string' }, run: () => 'no' })
// @ts-expect-error an object of schemas is not a schema
tool({ input: { query: z.string() }, run: () => 'no' })
// @ts-expect-error a plain JSON Schema is not a Standard Schema
tool({ input: { type: 'object', properties: {} }, run: () => 'no' })
// @ts-expect-error the protocol name of `input`
tool({ inputSchema: fields, run: () => 'no' })
// @ts-expect-error the protocol name of a hint
tool({ hints: { readOnlyHint: true }, run: () => 'no' })
// @ts-expect-error tools need names, so a list is refused
server({ name: 'shop', version: '1.0.0', tools: [tool({ run: () => 'no' })] })
// @ts-expect-error a limit needs a period
tool({ limit: { calls: 5 }, run: () => 'no' })
// @ts-expect-error unknown period
tool({ limit: { calls: 5, per: 'fortnight' }, run: () => 'no' })
// @ts-expect-error a tool needs a handler
tool({ input: fields })
// @ts-expect-error unknown hint
tool({ hints: { harmless: true }, run: () => 'no' })

// The declared output must be returned.

tool({ output: hits, run: () => ({ hits: [] }) })
tool({ output: hits, run: async () => ({ hits: ['a'] }) })
tool({ output: hits, run: () => reply.structured({ hits: ['a'] }, reply.text('one hit')) })
tool({ output: hits, run: () => reply.error('the index is being rebuilt') })
tool({ output: hits, run: (_, ctx) => (ctx.resumed ? { hits: [] } : inputRequired({ name: ask.roots() })) })
tool({ output: z.object({ when: z.string().transform((text) => new Date(text)) }), run: () => ({ when: '2026-07-28' }) })
tool({ output: z.array(z.number()), run: async () => [1, 2, 3] })

// Literals keep their types, so that a value of an enum may be written directly.
const choice = z.object({ kind: z.literal('choice'), env: z.enum(['dev', 'prod']), parts: z.array(z.enum(['a', 'b'])) })
tool({ output: choice, run: () => ({ kind: 'choice', env: 'dev', parts: ['a'] }) })
tool({ output: choice, run: async () => ({ kind: 'choice', env: 'dev', parts: ['a', 'b'] }) })
tool({ input: fields, output: choice, run: async ({ query }) => ({ kind: 'choice', env: query ? 'dev' : 'prod', parts: [] }) })
tool({ output: toStandardJsonSchema(v.object({ env: v.picklist(['dev', 'prod']) })), run: () => ({ env: 'dev' }) })
tool({ output: type({ env: "'dev' | 'prod'" }), run: () => ({ env: 'dev' }) })
tool({ output: jsonSchema<{ env: 'dev' | 'prod' }>({}), run: () => ({ env: 'dev' }) })
tool({ output: z.unknown(), run: () => 'whatever' })
// @ts-expect-error not a value of the enum
tool({ output: choice, run: () => ({ kind: 'choice', env: 'test', parts: [] }) })

// @ts-expect-error nothing is returned
tool({ output: hits, run: () => {} })
// @ts-expect-error nothing is returned asynchronously
tool({ output: hits, run: async () => {} })
// @ts-expect-error a hit is a string
tool({ output: hits, run: () => ({ hits: [1] }) })
// @ts-expect-error a hit is a string, asynchronously too
tool({ output: hits, run: async () => ({ hits: [1] }) })
// @ts-expect-error the hits are missing
tool({ output: hits, run: async () => ({}) })
// @ts-expect-error text is not the declared output
tool({ output: hits, run: () => 'one hit' })
// @ts-expect-error the structured value has another type
tool({ output: hits, run: () => reply.structured({ hits: 1 }) })
// @ts-expect-error the structured value has another type, asynchronously too
tool({ output: hits, run: async () => reply.structured({ hits: 1 }) })
// @ts-expect-error a text reply is not the declared output
tool({ output: hits, run: () => reply.text('one hit') })
tool({ output: hits, run: () => reply.error('no hits') })
// @ts-expect-error without a declared output a handler returns text or blocks
tool({ run: () => ({ hits: [] }) })
// @ts-expect-error a result of the protocol is refused
tool({ run: () => ({ content: [{ type: 'text', text: 'no' }] }) })
// @ts-expect-error undefined is refused
tool({ run: async () => {} })

tool({ run: () => 'text' })
tool({ run: () => ({ type: 'text', text: 'one block' }) })
tool({
  run: async () => [
    { type: 'text', text: 'several' },
    { type: 'image', data: '', mimeType: 'image/png' },
  ],
})
tool({ run: async () => reply.content(reply.text('a'), reply.link({ uri: 'notes://a', name: 'a' })) })
// @ts-expect-error an image needs a type
tool({ run: () => ({ type: 'image', data: '' }) })

// Answers have the types of their questions.

export const asking = tool({
  input: fields,
  asks: {
    confirm: ask('Deploy?', z.object({ yes: z.boolean() })),
    reason: (input) => {
      is<Equal<typeof input, Fields>>()
      return ask(`Why ${input.query}?`, z.object({ text: z.string() }), { optional: true })
    },
    page: ({ query }) => ask.url('Sign in', `https://example.com/${query}`),
    model: ask.model({ messages: [], maxTokens: 10 }),
    roots: ask.roots(),
  },
  run: (input, ctx) => {
    is<Equal<typeof input, Fields>>()
    is<Equal<typeof ctx.answers.confirm, { yes: boolean }>>()
    is<Equal<typeof ctx.answers.reason, { text: string } | undefined>>()
    is<Equal<typeof ctx.answers.page, true>>()
    is<Equal<typeof ctx.answers.model.model, string>>()
    is<Equal<(typeof ctx.answers.roots)[number]['uri'], string>>()
    return 'done'
  },
})

is<Equal<ReturnType<typeof ask.url>['kind'], 'url'>>()
const form = ask('Deploy?', z.object({ yes: z.boolean() }))
is<Equal<typeof form.kind, 'form'>>()

tool({
  asks: { confirm: ask('Deploy?', z.object({ yes: z.boolean() })) },
  // @ts-expect-error unknown question
  run: (_, ctx) => String(ctx.answers.confirmed),
})
// @ts-expect-error a question must be made by `ask`
tool({ asks: { confirm: 'Deploy?' }, run: () => 'no' })
// @ts-expect-error a question that depends on the input must be made by `ask`, too
tool({ asks: { confirm: () => 'Deploy?' }, run: () => 'no' })

tool({
  run: async (_, ctx) => {
    const { yes } = await ctx.ask('confirm', 'Deploy?', z.object({ yes: z.boolean() }))
    is<Equal<typeof yes, boolean>>()
    const at = await ctx.once('at', () => Date.now())
    is<Equal<typeof at, number>>()
    ctx.log.info({ at })
    // @ts-expect-error unknown level
    ctx.log.loud('at')
    ctx.progress(1, 2, 'half')
    return 'done'
  },
})

// The type of a server contains its tools.

const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: { zod, none, found: tool({ output: hits, run: () => ({ hits: [] }) }) },
})
type Carried = (typeof app)['~tools']
is<Equal<keyof Carried, 'zod' | 'none' | 'found'>>()
is<Equal<InputOf<Carried['zod']['~tool']['input']>, { query: string; limit?: number | undefined; tags?: string[] | undefined }>>()
is<Equal<OutputOf<Carried['found']['~tool']['output']>, { hits: string[] }>>()
is<Equal<Carried['none']['~tool']['output'], undefined>>()

// Types are also inferred for a tool that is defined inline.
const placed = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    search: tool({ input: fields, output: hits, run: ({ query }) => ({ hits: [query] }) }),
    ping: tool({ run: () => 'pong' }),
  },
})
is<Equal<(typeof placed)['~tools']['search']['~tool']['input'], typeof fields>>()
is<Equal<(typeof placed)['~tools']['ping']['~tool']['output'], undefined>>()
placed.tools.add('late', tool({ input: fields, output: hits, run: ({ query }) => ({ hits: [query] }) }))
// @ts-expect-error a tool that is added later must match its output, too
placed.tools.add('late', tool({ input: fields, output: hits, run: ({ query }) => query }))

// @ts-expect-error a tool must be made by `tool`
server({ name: 'shop', version: '1.0.0', tools: { search: () => 'no' } })
// @ts-expect-error a server needs a version
server({ name: 'shop' })
// @ts-expect-error unknown profile
server({ name: 'shop', version: '1.0.0', profile: 'purse' })

// A misspelled member of a rule does not compile, and the names of rules keep their literal types.

const named = defineRules({ rules: [{ name: 'reads', when: { hints: { readOnly: true } }, decision: 'allow' }], default: 'ask' })
is<Equal<(typeof named)['rules'][number]['name'], 'reads'>>()
// @ts-expect-error unknown member of a rule set
defineRules({ rules: [], otherwise: 'ask' })
// @ts-expect-error unknown condition
defineRules({ rules: [{ name: 'reads', when: { tols: 'read' }, decision: 'allow' }] })
