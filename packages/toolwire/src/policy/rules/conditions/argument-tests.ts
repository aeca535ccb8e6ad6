import type { Json, JsonObject } from '../../../json.js'
import { memberReader } from '../../../schema/compiler/members.js'
import { toPointer } from '../../../schema/pointer.js'
import type { ArgumentCondition, ArgumentSchema, RuleCondition } from '../rule-set.js'
import { rulesProblem } from '../rules-error.js'
import { argumentSchemaOf, type MatchMode, valueSchema } from './argument-schema.js'
import { allTests, type ConditionTest, schemaTest, testThat } from './condition-test.js'
import { type PathPosition, parseFolder } from './folder.js'

type Named = { readonly name: string; readonly condition: ArgumentCondition; readonly at: string }

/** The test of a call's arguments; undefined if any arguments fit. */
export function argumentTest(
  { arguments: named, closed }: RuleCondition,
  way: MatchMode,
  at: string,
): ConditionTest<JsonObject> | undefined {
  if (!named && !closed) return undefined
  const placeOf = (name: string) => `${at}/arguments${toPointer([name])}`
  const conditions = Object.entries(named ?? {}).map(([name, condition]) => ({ name, condition, at: placeOf(name) }))
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(conditions.map((one) => [one.name, checkedSchema(one, way)])),
    required: conditions.filter(({ condition }) => !isOptional(condition)).map(({ name }) => name),
    ...(closed && { additionalProperties: false }),
  }
  return allTests([schemaTest<JsonObject>(schema, `${at}/arguments`), ...conditions.flatMap((one) => placeTests(one, way))])
}

/** Compiles the schema alone first, so that an error names its place. */
function checkedSchema(one: Named, way: MatchMode): Json {
  const schema = argumentSchema(one, way)
  schemaTest(schema, one.at)
  return schema
}

function argumentSchema({ condition, at }: Named, way: MatchMode): Json {
  if (isList(condition)) return valueSchema(condition, way)
  if (isSchema(condition)) {
    const { under: _, outside: __, optional: ___, ...rest } = condition
    return argumentSchemaOf(rest as JsonObject, { way, at }) // refuses anything in it that is not JSON
  }
  if (typeof condition === 'string' && condition.includes('*'))
    throw rulesProblem(
      at,
      'a plain string is compared as it stands; write { glob: … } for a pattern, or { const: … } if * is meant',
    )
  return valueSchema([condition], way)
}

const isList = (given: ArgumentCondition): given is Extract<ArgumentCondition, readonly unknown[]> => Array.isArray(given)
const isSchema = (condition: ArgumentCondition): condition is ArgumentSchema =>
  typeof condition === 'object' && condition !== null && !isList(condition)
const isOptional = (condition: ArgumentCondition) => isSchema(condition) && condition.optional === true

function placeTests({ name, condition, at }: Named, way: MatchMode): ConditionTest<JsonObject>[] {
  if (!isSchema(condition)) return []
  const read = memberReader(name) as (args: JsonObject) => Json | undefined // arguments are JSON
  return (['under', 'outside'] as const).flatMap((keyword) => {
    const given = condition[keyword]
    if (given === undefined) return []
    // An empty list of folders would put every path outside of it.
    if (Array.isArray(given) && given.length === 0) throw rulesProblem(`${at}/${keyword}`, 'must name at least one folder')
    const folders = [given].flat().map((folder) => parseFolder(folder, `${at}/${keyword}`))
    const fits = (path: Json) => positionTests[keyword][way](folders.map((folder) => folder(path)))
    const why = `/${name}: the path is not ${way === 'sure' ? 'certainly ' : ''}${keyword} ${[given].flat().join(', ')}`
    const test = testThat<JsonObject>(
      (args) => {
        const value = read(args)
        return value === undefined || pathsFit(value, way, fits) // the schema covers absent arguments
      },
      () => why,
    )
    return [test]
  })
}

type Positions = readonly PathPosition[]

/** Tests of a path's positions, as seen from each of the folders. */
const positionTests = {
  under: {
    sure: (from: Positions) => from.includes('inside'),
    maybe: (from: Positions) => from.some((where) => where !== 'outside'),
  },
  outside: {
    sure: (from: Positions) => from.every((where) => where === 'outside'),
    maybe: (from: Positions) => !from.includes('inside'),
  },
}

/** To be allowed, each path of a list must certainly fit; to be stopped, it is enough that one might. */
function pathsFit(value: Json, way: MatchMode, fits: (path: Json) => boolean): boolean {
  if (!Array.isArray(value)) return fits(value)
  return way === 'sure' ? value.length > 0 && value.every(fits) : value.length === 0 || value.some(fits)
}
