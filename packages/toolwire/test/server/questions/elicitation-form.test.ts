import { ask, DefinitionError, jsonSchema, type StandardSchema, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { checkAsk } from '../../../src/server/questions/elicitation-form.js'
import { since } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { able, Rounder } from './rounds.js'

const askingFor = (schema: StandardSchema) =>
  server({
    name: 'forms',
    version: '1',
    tools: { fill: tool({ asks: { form: ask('Please', schema) }, run: (_, ctx) => JSON.stringify(ctx.answers.form) }) },
  })

/** Asks only at run time, so the form cannot be checked at registration. */
const askingLate = (schema: StandardSchema) =>
  server({
    name: 'forms',
    version: '1',
    tools: { fill: tool({ run: async (_, ctx) => JSON.stringify(await ctx.ask('form', 'Please', schema)) }) },
  })

/** The form as the person sees it, and the result of the tool for the answer. */
async function filled(schema: StandardSchema, revision: string, answer: JsonObject) {
  let seen: JsonObject = {}
  const answers = {
    form: ({ params }: { params: JsonObject }) => {
      seen = params
      return answer
    },
  }
  await using t = await judged(askingFor(schema), { revision, answers })
  const result = await t.call('fill')
  return {
    seen,
    fields: (seen.requestedSchema as { properties?: Record<string, JsonObject> } | undefined)?.properties ?? {},
    result,
  }
}

const tooDeep: [string, StandardSchema][] = [
  ['an object inside', z.object({ home: z.object({ street: z.string() }) })],
  ['a list of objects', z.object({ people: z.array(z.object({ name: z.string() })) })],
  ['a list of any strings', z.object({ names: z.array(z.string()) })],
  ['a map', z.object({ more: z.record(z.string(), z.string()) })],
  ['a union', z.object({ either: z.union([z.string(), z.number()]) })],
  ['a field of any type', jsonSchema({ type: 'object', properties: { any: {} } })],
  ['no fields but a string', z.string()],
  ['no fields but a list', z.array(z.string())],
]

describe.each(tooDeep)('A form with %s', (_, schema) => {
  it('ELIC-006 cannot be declared', () => {
    expect(() => askingFor(schema)).toThrow(DefinitionError)
  })

  it.each(since('2025-06-18'))('ELIC-006 is not sent by a tool that asks at run time, at %s', async (revision) => {
    await using t = await judged(askingLate(schema), { revision, answers: { form: {} } })
    expect(await t.call('fill')).toMatchObject({ isError: true })
    expect(
      t.frames.filter(({ from, message }) => from === 'server' && JSON.stringify(message).includes('requestedSchema')),
    ).toEqual([])
  })
})

describe.each(since('2025-06-18'))('A form at %s', (revision) => {
  it('ELIC-006 has simple fields without nesting', async () => {
    const schema = z.object({
      name: z.string().min(1).max(40).meta({ title: 'Name', description: 'Yours' }),
      mail: z.email(),
      id: z.uuid().optional(),
      age: z.number().int().min(0).max(150),
      weight: z.number(),
      ok: z.boolean().default(true),
      colour: z.enum(['red', 'blue']),
      bare: z.literal('x').optional(),
    })
    const answer = { name: 'Ada', mail: 'a@b.example', age: 36, weight: 70, ok: false, colour: 'red' }
    const { seen, fields, result } = await filled(schema, revision, answer)
    expect(fields).toMatchObject({
      name: { type: 'string', minLength: 1, maxLength: 40, title: 'Name', description: 'Yours' },
      mail: { type: 'string', format: 'email' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      weight: { type: 'number' },
      ok: { type: 'boolean', default: true },
      colour: { type: 'string', enum: ['red', 'blue'] },
    })
    // The protocol defines four formats; the server itself validates the others.
    expect(fields.id).not.toHaveProperty('format')
    expect(seen.requestedSchema).toMatchObject({ type: 'object', required: expect.arrayContaining(['name', 'mail', 'colour']) })
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(answer) }])
  })

  it('ELIC-006 may have a choice whose schema has no type', async () => {
    const schema = jsonSchema<{ size: string }>({
      type: 'object',
      properties: { size: { enum: ['s', 'm'] } },
      required: ['size'],
    })
    const { fields } = await filled(schema, revision, { size: 's' })
    expect(fields.size).toEqual({ type: 'string', enum: ['s', 'm'] })
  })

  it('ELIC-006 shows named choices in the format of the revision', async () => {
    const schema = jsonSchema({
      type: 'object',
      properties: {
        size: {
          type: 'string',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'm', title: 'Medium' },
          ],
        },
      },
    })
    const { fields } = await filled(schema, revision, { size: 's' })
    const plain = { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] }
    const titled = {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'm', title: 'Medium' },
      ],
    }
    expect(fields.size).toEqual(revision === '2025-06-18' ? plain : titled)
  })

  it('ELIC-006 may have multiple choices from 2025-11-25 on, and is not sent before', async () => {
    const { fields, result } = await filled(z.object({ toppings: z.array(z.enum(['ham', 'egg'])).min(1) }), revision, {
      toppings: ['egg'],
    })
    if (revision === '2025-06-18') {
      expect(fields).toEqual({})
      return expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('several choices') }] })
    }
    expect(fields.toppings).toEqual({ type: 'array', minItems: 1, items: { type: 'string', enum: ['ham', 'egg'] } })
    expect(result).toMatchObject({ isError: false, content: [{ text: '{"toppings":["egg"]}' }] })
  })

  it('names its mode if the revision has modes', async () => {
    const { seen } = await filled(z.object({ name: z.string() }), revision, { name: 'x' })
    expect(seen.mode).toBe(revision === '2025-06-18' ? undefined : 'form')
  })
})

const secrets = [
  'password',
  'passphrase',
  'apiKey',
  'api_key',
  'client_secret',
  'access_token',
  'authToken',
  'token',
  'privateKey',
  'cardNumber',
  'card_number',
  'cvv',
  'pin',
  'ssn',
]
const harmless = ['name', 'pinned', 'tokens', 'compass', 'keyboard', 'spin']

describe('A form for a secret', () => {
  it.each(secrets)('ELIC-011 such as %s cannot be declared', (field) => {
    expect(() => askingFor(z.object({ [field]: z.string() }))).toThrow(/ask\.url/)
  })

  it.each(since('2025-06-18'))('ELIC-011 such as a password is not sent at run time, at %s', async (revision) => {
    await using t = await judged(askingLate(z.object({ password: z.string() })), {
      revision,
      answers: { form: { password: 'x' } },
    })
    expect(await t.call('fill')).toMatchObject({ isError: true })
    expect(JSON.stringify(t.frames.filter(({ from }) => from === 'server'))).not.toContain('requestedSchema')
  })

  it('ELIC-011 is refused even if it is made for a single call', async () => {
    const late = tool({ asks: { form: () => ask('Please', z.object({ password: z.string() })) }, run: () => 'x' })
    const { result } = await new Rounder(server({ name: 'a', version: '1', tools: { late } }), { capabilities: able }).call(
      'late',
    )
    expect(result).toMatchObject({ isError: true })
  })

  it.each(harmless)('does not include %s', (field) => {
    expect(() => askingFor(z.object({ [field]: z.string() }))).not.toThrow()
  })

  const spellings = (words: string): string[] => {
    const parts = words.split(' ')
    const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
    return [
      words,
      upper(words),
      words.toUpperCase(),
      parts.join('_'),
      parts.join('-'),
      parts.join('_').toUpperCase(),
      parts.map(upper).join(''),
      parts.map((word, index) => (index ? upper(word) : word)).join(''),
      `Your ${words}`,
      `Enter your ${words}:`,
      `${words} for the server`,
    ]
  }
  const named = [
    'password',
    'credit card',
    'card number',
    'api key',
    'access token',
    'private key',
    'security code',
    'social security number',
  ]
  it.each(named.flatMap(spellings))('ELIC-011 includes a field with the name, title or description "%s"', (spelling) => {
    expect(() => askingFor(z.object({ [spelling]: z.string() }))).toThrow(/ask\.url/)
    expect(() => askingFor(z.object({ field: z.string().meta({ title: spelling }) }))).toThrow(/ask\.url/)
    expect(() => askingFor(z.object({ field: z.string().meta({ description: spelling }) }))).toThrow(/ask\.url/)
    expect(() => askingFor(z.object({ field: z.number().meta({ title: spelling }) }))).toThrow(/ask\.url/)
    expect(() => checkAsk('form', ask(spelling, z.object({ field: z.string() })))).toThrow(/ask\.url/)
  })

  it('ELIC-011 includes a field with the format `password`', () => {
    const form = jsonSchema({ type: 'object', properties: { field: { type: 'string', format: 'password' } } })
    expect(() => checkAsk('form', ask('Please', form))).toThrow(/ask\.url/)
  })

  it.each([
    ...[
      'passwordless',
      'tokenCount',
      'maxTokens',
      'passwordPolicy',
      'Password strength',
      'secretName',
      'tokenLimit',
      'pinned',
      'Map pin',
    ],
    ...[
      'cardholder',
      'businessCard',
      'keyboard',
      'primaryKey',
      'accountName',
      'compass',
      'Bypass',
      'secretary',
      'cardType',
      'passport',
    ],
  ])('does not include a field with the name or title "%s"', (name) => {
    expect(() => askingFor(z.object({ [name]: z.string() }))).not.toThrow()
    expect(() => askingFor(z.object({ field: z.string().meta({ title: name }) }))).not.toThrow()
  })

  it('does not include a text that only mentions a secret', () => {
    const field = z.string().meta({ description: 'A name that helps you find it again. Do not enter a password.' })
    expect(() => checkAsk('form', ask('Whose password is to be reset?', z.object({ field })))).not.toThrow()
    expect(() => checkAsk('form', ask('Your password', z.object({ rememberPassword: z.boolean() })))).not.toThrow()
    expect(() => checkAsk('form', ask('Reset?', z.object({ password: z.enum(['keep', 'reset']) })))).not.toThrow()
  })
})
