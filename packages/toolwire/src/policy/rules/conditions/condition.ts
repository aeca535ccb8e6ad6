import { canonicalJson, type JsonObject } from '../../../json.js'
import { foldName } from '../../../text/folded-text.js'
import type { Caller } from '../../../tools/caller.js'
import { type CallerFacts, type CallFacts, callerFacts, type ToolFacts } from '../facts.js'
import type { CallerCondition, NameCondition, RuleCondition } from '../rule-set.js'
import type { MatchMode } from './argument-schema.js'
import { argumentTest } from './argument-tests.js'
import { checkCallSchema } from './call-schema.js'
import { allTests, type ConditionTest, documentTest, objectSchema, schemaTest, testOf, testThat } from './condition-test.js'
import { excludesNames, nameSchema } from './name-schema.js'

/** A condition, split by the facts that each part needs. A part that is undefined always holds. */
export type Condition = {
  readonly tool: ConditionTest<ToolFacts> | undefined
  readonly caller: ConditionTest<Caller> | undefined
  readonly received: ConditionTest<CallFacts> | undefined
  readonly arguments: ConditionTest<JsonObject> | undefined
  readonly call: ConditionTest<CallFacts> | undefined
}

export function conditionOf(when: RuleCondition, way: MatchMode, at: string): Condition {
  return {
    tool: toolTest(when, { way, at }),
    caller: when.caller === undefined ? undefined : callerTest(when.caller, way, `${at}/caller`),
    received: when.received === undefined ? undefined : receivedTest([when.received].flat()),
    arguments: argumentTest(when, way, at),
    call: when.call === undefined ? undefined : callTest(when.call, `${at}/call`),
  }
}

type Place = { readonly way: MatchMode; readonly at: string }

function toolTest({ server, tool, hints, tags }: RuleCondition, place: Place): ConditionTest<ToolFacts> | undefined {
  const { at } = place
  const byName = (name: NameCondition) => (server === undefined ? named('tool', name, place) : eitherName(name, place))
  return allTests<ToolFacts>([
    server === undefined ? undefined : named('server', server, place),
    tool === undefined ? undefined : byName(tool),
    hints && schemaTest(objectSchema({ hints: objectSchema(constants(hints)) }), `${at}/hints`),
    tags && schemaTest(objectSchema({ tags: holding(tags) }), `${at}/tags`),
  ])
}

/**
 * Beside a server, a tool is matched by the name that callers see and by its own name. If the visible name is another tool's own name, it
 * allows only that other tool. A name that a schema excludes is excluded in either form.
 */
function eitherName(condition: NameCondition, { way, at }: Place): ConditionTest<ToolFacts> {
  const test = named('tool', condition, { way, at })
  const excludes = excludesNames(condition, way)
  const byOwn = (about: ToolFacts) => ({ ...about, tool: about.ownName ?? about.tool })
  const counts = ({ shadowed }: ToolFacts) => !(shadowed && (way === 'sure') !== excludes)
  const holds = (about: ToolFacts) => {
    if (about.ownName === undefined) return test.holds(about)
    const own = test.holds(byOwn(about))
    if (own !== excludes || !counts(about)) return own
    return test.holds(about)
  }
  return testThat(holds, (about) => {
    if (counts(about) || !test.holds(about)) return test.why(about) ?? test.why(byOwn(about))
    return `/tool: ${about.tool} is the original name of another tool of this server; this tool is called ${about.ownName}`
  })
}

const constants = (values: { readonly [name: string]: boolean | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, { const: value }]])))

const holding = (marks: readonly string[]): JsonObject => ({
  type: 'array',
  allOf: [true, ...marks.map((mark) => ({ contains: { const: mark } }))],
})

/** A rule that stops calls also matches names that merely look the same. */
function named<K extends string>(
  member: K,
  condition: NameCondition,
  { way, at }: Place,
): ConditionTest<{ readonly [M in K]?: string }> {
  const place = `${at}/${member}`
  const schema = nameSchema(condition, place)
  const plain = nameTest(member, schema, place)
  const test = { ...plain, why: whyNoName(member, condition, plain) }
  if (way === 'sure') return test
  const readCarelessly = nameSchema(condition, place, foldName)
  // If neither the rule nor the name changes when folded, the second test is skipped.
  const sameRule = canonicalJson(schema) === canonicalJson(readCarelessly)
  const again = nameTest(member, readCarelessly, place)
  const holds = (value: { readonly [M in K]?: string }) => {
    if (test.holds(value)) return true
    const name = value[member]
    const seen = name === undefined ? name : foldName(name)
    return seen === name ? !sameRule && again.holds(value) : again.holds({ [member]: seen })
  }
  return testThat(holds, test.why)
}

const mostGlobs = 5

const nameWords: { readonly [member: string]: string } = {
  tool: "the tool's name",
  server: "the server's id",
  id: "the caller's id",
}

/** Shows the globs as they are written, and not the schema that they are compiled to. */
function whyNoName<T extends { readonly [member: string]: unknown }>(
  member: string,
  condition: NameCondition,
  { why }: ConditionTest<T>,
): ConditionTest<T>['why'] {
  const globs = typeof condition === 'string' ? [condition] : Array.isArray(condition) ? condition : undefined
  if (!globs) return why
  const more = globs.length > mostGlobs ? ` or ${globs.length - mostGlobs} more` : ''
  const shown = globs.slice(0, mostGlobs).map((glob) => JSON.stringify(glob))
  const written = `${shown.join(' or ')}${more}`
  return (value) => why(value) && `${nameWords[member]} ${JSON.stringify(value[member] ?? null)} does not match ${written}`
}

/** Most rules contain plain names, which are compared without a schema. */
function nameTest(member: string, schema: JsonObject, at: string): ConditionTest<{ readonly [member: string]: unknown }> {
  const test = schemaTest<{ readonly [member: string]: unknown }>(objectSchema({ [member]: schema }), at)
  const { const: only } = schema
  return typeof only === 'string' && Object.keys(schema).length === 1
    ? { ...test, holds: (value) => value[member] === only }
    : test
}

function callerTest(condition: CallerCondition, way: MatchMode, at: string): ConditionTest<Caller> {
  const { id, scopes, lacks, anonymous } = isNames(condition) ? { id: condition } : condition
  const byId = id === undefined ? undefined : named('id', id, { way, at })
  // A condition on the id alone needs no other facts.
  if (byId && !scopes && !lacks && anonymous === undefined) return byId
  const test = allTests<CallerFacts>([
    byId,
    scopes && schemaTest(objectSchema({ scopes: { anyOf: [holding(['*']), holding(scopes)] } }), `${at}/scopes`),
    lacks && schemaTest(objectSchema({ scopes: { not: { contains: { enum: ['*', ...lacks] } } } }), `${at}/lacks`),
    anonymous === undefined ? undefined : schemaTest(objectSchema({ anonymous: { const: anonymous } }), `${at}/anonymous`),
  ])
  return testOf(callerFacts, test)
}

function receivedTest(labels: readonly string[]): ConditionTest<CallFacts> {
  return testThat(
    ({ received }) => labels.some(received),
    () => `the caller has not received ${labels.join(' or ')}`,
  )
}

const isNames = (condition: CallerCondition): condition is string | readonly string[] =>
  typeof condition === 'string' || Array.isArray(condition)

function callTest(schema: JsonObject | boolean, at: string): ConditionTest<CallFacts> {
  const test = documentTest<object>(schema, at)
  checkCallSchema(schema, at)
  return testOf(
    ({ about: { ownName: _, shadowed: __, claims: ___, ...about }, caller, arguments: args }: CallFacts) => ({
      ...about,
      caller: callerFacts(caller),
      arguments: args,
    }),
    test,
  )
}
