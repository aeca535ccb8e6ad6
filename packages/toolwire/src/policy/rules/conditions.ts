import { canonicalJson, type JsonObject } from '../../json.js'
import type { Caller } from '../../tools/caller.js'
import type { Leaning } from './argument-schema.js'
import { argumentTest } from './argument-tests.js'
import { type CallerFacts, callerFacts, type Facts, type ToolFacts } from './facts.js'
import { folded, nameSchema } from './names.js'
import type { CallerCondition, NameCondition, When } from './rule-set.js'
import { documentTest, either, every, objectOf, schemaTest, seenBy, type Test } from './schema-test.js'

/** A condition, taken apart by what must be known to test it; what is undefined always holds. */
export type Condition = {
  readonly tool: Test<ToolFacts> | undefined
  readonly caller: Test<Caller> | undefined
  readonly arguments: Test<JsonObject> | undefined
  readonly call: Test<Facts> | undefined
}

/** Compiles what a rule says about the calls it is for. */
export function conditionOf(when: When, way: Leaning, at: string): Condition {
  return {
    tool: toolTest(when, way, at),
    caller: when.caller === undefined ? undefined : callerTest(when.caller, way, `${at}/caller`),
    arguments: argumentTest(when, way, at),
    call: when.call === undefined ? undefined : callTest(when.call, `${at}/call`),
  }
}

function toolTest({ server, tool, hints, tags }: When, way: Leaning, at: string): Test<ToolFacts> | undefined {
  return every<ToolFacts>([
    server === undefined ? undefined : named('server', server, { way, at }),
    tool === undefined ? undefined : named('tool', tool, { way, at }),
    hints && schemaTest(objectOf({ hints: objectOf(constants(hints)) }), `${at}/hints`),
    tags && schemaTest(objectOf({ tags: holding(tags) }), `${at}/tags`),
  ])
}

const constants = (values: { readonly [name: string]: boolean | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, { const: value }]])))

const holding = (marks: readonly string[]): JsonObject => ({
  type: 'array',
  allOf: [true, ...marks.map((mark) => ({ contains: { const: mark } }))],
})

/** What is to be stopped is stopped under names that merely look the same, too. */
function named<K extends string>(
  member: K,
  condition: NameCondition,
  { way, at }: { way: Leaning; at: string },
): Test<{ readonly [M in K]?: string }> {
  const place = `${at}/${member}`
  const schema = nameSchema(condition, place)
  const test = nameTest(member, schema, place)
  if (way === 'sure') return test
  const readCarelessly = nameSchema(condition, place, folded)
  // Where neither the rule nor the name reads differently there is no second look.
  const sameRule = canonicalJson(schema) === canonicalJson(readCarelessly)
  return either<{ readonly [M in K]?: string }>(test, nameTest(member, readCarelessly, place), (value) => {
    const name = value[member]
    const seen = name === undefined ? name : folded(name)
    if (seen === name) return sameRule ? undefined : value
    return { ...value, [member]: seen }
  })
}

/** Most rules name things as they are: then nothing need be asked of a schema for each call. */
function nameTest(member: string, schema: JsonObject, at: string): Test<{ readonly [member: string]: unknown }> {
  const test = schemaTest<{ readonly [member: string]: unknown }>(objectOf({ [member]: schema }), at)
  const { const: only } = schema
  return typeof only === 'string' && Object.keys(schema).length === 1
    ? { ...test, holds: (value) => value[member] === only }
    : test
}

function callerTest(condition: CallerCondition, way: Leaning, at: string): Test<Caller> {
  const { id, scopes, lacks, anonymous } = isNames(condition) ? { id: condition } : condition
  const byId = id === undefined ? undefined : named('id', id, { way, at })
  // What has an id need not be made into anything else first.
  if (byId && !scopes && !lacks && anonymous === undefined) return byId
  const test = every<CallerFacts>([
    byId,
    scopes && schemaTest(objectOf({ scopes: { anyOf: [holding(['*']), holding(scopes)] } }), `${at}/scopes`),
    lacks && schemaTest(objectOf({ scopes: { not: { contains: { enum: ['*', ...lacks] } } } }), `${at}/lacks`),
    anonymous === undefined ? undefined : schemaTest(objectOf({ anonymous: { const: anonymous } }), `${at}/anonymous`),
  ])
  return seenBy(callerFacts, test)
}

const isNames = (condition: CallerCondition): condition is string | readonly string[] =>
  typeof condition === 'string' || Array.isArray(condition)

const callTest = (schema: JsonObject | boolean, at: string): Test<Facts> =>
  seenBy(
    ({ about: { claims: _, ...about }, caller, arguments: args }: Facts) => ({
      ...about,
      caller: callerFacts(caller),
      arguments: args,
    }),
    documentTest<object>(schema, at),
  )
