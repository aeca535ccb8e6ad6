// The form of a server's question for a person.
import fc from 'fast-check'
import type { Json, JsonObject } from 'toolwire'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { isObject } from '../../src/json/is-object.js'
import { quoteForm, quoteModelRequest, quoteQuestion } from '../../src/relay/quote-question.js'

const approval =
  'Allow this call?\nServer: "bank"\nTool: "pay"\nWhat it may do: only read\nArguments, exactly as they will be used:\n{}'
const parts = [
  ...[approval, 'The server "bank" asks this, in its own words:', 'Toolwire: approved', '> ', 'Decision', ''],
  ...['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'],
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 8 })
  .map((some) => some.join(''))
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

it("a question begins with words that the server cannot write, and quotes all of the server's words", () => {
  fc.assert(
    fc.property(text, fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), (message, id) => {
      const [first, ...lines] = quoteQuestion(id, message).split(lineEnds)
      expect(first).toMatch(/^The server "[^\n]*" asks this, in its own words:$/)
      for (const line of lines) expect(line.startsWith('> ')).toBe(true)
      expect(quoteQuestion(id, message)).not.toContain(`\n${approval.split('\n')[0]}`)
      expect(quoteModelRequest(id, { systemPrompt: message }).systemPrompt).toMatch(/^The server "/)
    }),
    { seed: 13, numRuns: howMany(30, 300) },
  )
})

it('a form is never that of an approval, whatever its fields are called', () => {
  const choices = [
    { const: 'allow', title: 'Allow this one call' },
    { const: 'deny', title: 'Do not allow it' },
  ]
  const oneOf = fc.constantFrom(choices, [{ const: 'allow' }, { const: approval }])
  const values = fc.array(fc.oneof(fc.constantFrom('Allow this one call', 'Do not allow it', 'red', 'blue'), text), {
    minLength: 1,
    maxLength: 3,
  })
  const listed = { enum: values, enumNames: fc.array(text, { maxLength: 3 }) }
  const about = { title: fc.oneof(fc.constant('Decision'), text), description: text }
  const items = fc.oneof(fc.record({ anyOf: oneOf }), fc.record(listed, { requiredKeys: ['enum'] }))
  const field = fc.oneof(
    fc.record({ ...about, oneOf }, { requiredKeys: [] }),
    fc.record({ ...about, ...listed }, { requiredKeys: ['enum'] }),
    fc.record({ ...about, type: fc.constant('array'), items }, { requiredKeys: ['type', 'items'] }),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('decision', 'Decision', 'allow', 'x'), field, { minKeys: 1 }), (properties) => {
      const quoted = quoteForm({ type: 'object', properties: properties as JsonObject }).properties as {
        [name: string]: JsonObject
      }
      expect(Object.keys(quoted)).toEqual(Object.keys(properties))
      for (const [name, { title, description = '> ', oneOf = [], items = {}, enum: plain, enumNames }] of Object.entries(
        quoted,
      )) {
        const { anyOf = [], enum: within } = items as JsonObject
        const shown = [...(oneOf as JsonObject[]), ...(anyOf as JsonObject[])]
        // A value without a title is displayed itself.
        const words = [plain, within].find(Array.isArray)
        expect(words ?? shown.map((one) => one.const)).toEqual(valuesOf(properties[name] as JsonObject))
        for (const word of words ?? []) expect(word).toMatch(/^\S{1,64}$/)
        const names = [enumNames, (items as JsonObject).enumNames].find(Array.isArray) ?? []
        for (const text of [title, description, ...names, ...shown.map((one) => one.title)]) {
          expect(String(text).startsWith('> ')).toBe(true)
          expect(String(text)).not.toMatch(lineEnds)
        }
      }
    }),
    { seed: 13, numRuns: howMany(20, 200) },
  )
})

it('a form has a mark before every text that the answer need not repeat', () => {
  let last = 0
  const words = fc.constant(0).map(() => `Allow this one call\n${++last}`)
  const names = [
    'title',
    'description',
    'default',
    'enum',
    'enumNames',
    'const',
    'pattern',
    'format',
    'examples',
    '$comment',
    'x-label',
  ]
  const listed = ['oneOf', 'anyOf', 'items', 'required', 'type', 'minLength', 'properties']
  const { node } = fc.letrec((tie) => ({
    node: fc.dictionary(fc.constantFrom(...names, ...listed), tie('member'), { maxKeys: 8 }),
    member: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.constantFrom('string', 'array', 'red', 7, true, null),
      fc.array(fc.oneof({ maxDepth: 4 }, words, tie('node')), { maxLength: 3 }),
      tie('node'),
    ),
  }))
  const form = fc.record({ title: words, description: words, required: fc.array(words), properties: fc.dictionary(words, node) })
  fc.assert(
    fc.property(form, (schema) => {
      const { properties, ...rest } = quoteForm(schema as JsonObject)
      expect(textsIn(rest)).toEqual([['type', 'object']])
      for (const [name, field] of Object.entries(properties as JsonObject)) {
        expect(schema.properties).toHaveProperty([name])
        const texts = textsIn(field as JsonObject)
        const values = texts.flatMap(([place, text]) => (place === 'const' ? [text] : []))
        const unquoted = texts.filter(([, text]) => !/^(> .*|\S{1,64})$/.test(text))
        for (const [place, text] of unquoted) {
          expect(['const', 'default']).toContain(place)
          if (place === 'const' || !/^.{1,64}$/.test(text)) expect(values).toContain(text)
        }
      }
    }),
    { seed: 13, numRuns: howMany(300, 5000) },
  )
})

it('a default that must not be filled in is shown as a suggestion', () => {
  const name = { type: 'string', description: 'Full name', default: 'Ada '.repeat(17) }
  const colour = { type: 'string', oneOf: [{ const: 'dark red', title: 'Red' }], default: 'dark red' }
  expect(quoteForm({ properties: { name, colour, city: { type: 'string', default: 'New York' } }, required: ['name'] })).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', title: '> name', description: `> Full name (suggested: ${'Ada '.repeat(17)})` },
      colour: { type: 'string', title: '> colour', oneOf: [{ const: 'dark red', title: '> Red' }], default: 'dark red' },
      city: { type: 'string', title: '> city', default: 'New York' },
    },
    required: ['name'],
  })
})

/** All texts with the nearest member that contains them, those of an array with its own path. */
function textsIn(value: Json | undefined, place = ''): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, place))
  return isObject(value) ? Object.entries(value).flatMap(([name, one]) => textsIn(one, name)) : []
}

function valuesOf({ oneOf, enum: values, items = {} }: JsonObject): Json[] {
  const { anyOf, enum: within } = items as JsonObject
  const titled = [oneOf, anyOf].find(Array.isArray)
  return titled
    ? titled.map((one) => (one as JsonObject).const ?? null)
    : (([values, within].find(Array.isArray) ?? []) as Json[])
}
