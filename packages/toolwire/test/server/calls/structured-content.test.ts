import { type Json, jsonSchema, reply, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every, since, until } from '../../revisions.js'

const anything = (value: Json) => tool({ output: jsonSchema<Json>({}), run: () => value })
const weight = z.object({ grams: z.number() })

/** The result of one call of one tool. */
async function answerOf(revision: string, answer: Parameters<typeof server>[0]['tools']) {
  const t = await judged(server({ name: 'shop', version: '1', tools: { ...answer } }), { revision })
  return t.call('answer')
}

const notObjects: readonly [Json][] = [[null], [0], [false], [''], [[]], [[1, { a: 2 }]], ['text']]

it.each(notObjects)('STRUCT-002 STRUCT-006 at 2026-07-28 %j is a structured value, with its JSON as text', async (value) => {
  const result = await answerOf('2026-07-28', { answer: anything(value) })
  expect(result).toHaveProperty('structuredContent', value)
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(value) }])
})

it('STRUCT-002 at 2026-07-28 a text is not a structured value', async () => {
  const result = await answerOf('2026-07-28', { answer: tool({ run: () => 'null' }) })
  expect(result).not.toHaveProperty('structuredContent')
})

describe.each(['2025-06-18', '2025-11-25'])('at %s', (revision) => {
  it.each(notObjects)('STRUCT-001 %j is sent inside an object, as the list declares', async (value) => {
    const t = await judged(server({ name: 'shop', version: '1', tools: { answer: anything(value) } }), { revision })
    const { tools } = (await t.request('tools/list')) as { tools: { outputSchema: unknown }[] }
    expect(tools[0]?.outputSchema).toEqual({ type: 'object', properties: { result: {} }, required: ['result'] })
    expect(await t.call('answer')).toMatchObject({
      structuredContent: { result: value },
      content: [{ text: JSON.stringify(value) }],
    })
  })

  it('STRUCT-001 a value without a declared schema is only text, unless it is an object', async () => {
    expect(await answerOf(revision, { answer: tool({ run: () => reply.structured([1]) }) })).not.toHaveProperty(
      'structuredContent',
    )
    expect(await answerOf(revision, { answer: tool({ run: () => reply.structured({ a: 1 }) }) })).toHaveProperty(
      'structuredContent',
      { a: 1 },
    )
  })
})

it.each(until('2025-03-26'))('STRUCT-003 at %s structured values are text', async (revision) => {
  const result = await answerOf(revision, { answer: tool({ output: weight, run: () => ({ grams: 7 }) }) })
  expect(result).toEqual({ content: [{ type: 'text', text: '{"grams":7}' }], isError: false })
})

const invalidOutputs: readonly (readonly [string, () => unknown])[] = [
  ['the wrong type', () => ({ grams: 'hunter2' })],
  ['a missing member', () => ({})],
  ['nothing', () => undefined],
  ['a text', () => reply.text('7 g')],
  ['a reply of the wrong type', () => reply.structured({ grams: 'hunter2' })],
]

describe.each(every)('an output that breaks its schema at %s', (revision) => {
  it.each(invalidOutputs)('STRUCT-004 STRUCT-009 by %s is a tool error that names the place, with a report', async (_, run) => {
    const result = await answerOf(revision, { answer: tool({ output: weight, run: run as () => { grams: number } }) })
    expect(result.isError).toBe(true)
    expect(result).not.toHaveProperty('structuredContent')
    expect(JSON.stringify(result.content)).toMatch(/breaks its own output schema, at (\/grams|the value itself)/)
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(faults.filter(({ where }) => where === 'tool answer')).toHaveLength(1)
  })

  it('STRUCT-004 is a tool error with a raw JSON Schema, too', async () => {
    const output = jsonSchema<{ grams: number }>({ type: 'object', properties: { grams: { type: 'number', minimum: 0 } } })
    expect(await answerOf(revision, { answer: tool({ output, run: () => ({ grams: -1 }) }) })).toMatchObject({ isError: true })
  })

  it('STRUCT-004 may be an explicit tool error, which needs no structured value', async () => {
    const result = await answerOf(revision, { answer: tool({ output: weight, run: () => reply.error('The scale is broken') }) })
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The scale is broken' }] })
  })
})

it.each(since('2025-06-18'))('STRUCT-005 at %s the text is the JSON of the structured value', async (revision) => {
  const value = { grams: 7.5, name: 'thé "vert"\u2028' }
  const output = z.object({ grams: z.number(), name: z.string() })
  const result = await answerOf(revision, {
    answer: tool({ output, run: () => reply.structured(value, reply.text('Weighed.')) }),
  })
  expect(result.structuredContent).toEqual(value)
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''))
  expect(texts[0]).toBe('Weighed.')
  expect(JSON.parse(texts[1] ?? '')).toEqual(value)
})
