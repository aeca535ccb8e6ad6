import type { Json, JsonObject } from '../../../json.js'
import { toPointer } from '../../../schema/pointer.js'
import type { ArgumentCondition, ArgumentSchema, RuleCondition } from '../rule-set.js'
import { rulesProblem } from '../rules-error.js'
import { argumentSchemaOf, type MatchMode, valueSchema } from './argument-schema.js'
import { allTests, type ConditionTest, schemaTest } from './condition-test.js'
import { type Folder, type PathPosition, parseFolder } from './folder.js'

type Named = { readonly name: string; readonly condition: ArgumentCondition; readonly at: string }

/** The test of a call's arguments; undefined where any will do. */
export function argumentTest(
  { arguments: named, closed }: RuleCondition,
  way: MatchMode,
  at: string,
): ConditionTest<JsonObject> | undefined {
  if (!named && !closed) return undefined
  const conditions = Object.entries(named ?? {}).map(([name, condition]) => ({
    name,
    condition,
    at: `${at}/arguments${toPointer([name])}`,
  }))
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(conditions.map((one) => [one.name, checkedSchema(one, way)])),
    required: conditions.filter(({ condition }) => !isOptional(condition)).map(({ name }) => name),
    ...(closed && { additionalProperties: false }),
  }
  return allTests([schemaTest<JsonObject>(schema, `${at}/arguments`), ...conditions.flatMap((one) => placeTests(one, way))])
}

/** Compiled alone first, so that a mistake in it is told with its place. */
function checkedSchema(one: Named, way: MatchMode): Json {
  const schema = argumentSchema(one, way)
  schemaTest(schema, one.at)
  return schema
}

function argumentSchema({ condition, at }: Named, way: MatchMode): Json {
  if (isList(condition)) return valueSchema(condition, way)
  if (isSchema(condition)) {
    const { under: _, outside: __, optional: ___, ...rest } = condition
    return argumentSchemaOf(rest as JsonObject, { way, at }) // what is not JSON in it is refused there
  }
  if (typeof condition === 'string' && condition.includes('*'))
    throw rulesProblem(
      at,
      'a plain string is compared as it stands; write { glob: … } for a pattern, or { const: … } if * is meant',
    )
  return valueSchema([condition], way)
}

const isList = (condition: ArgumentCondition): condition is Extract<ArgumentCondition, readonly unknown[]> =>
  Array.isArray(condition)
const isSchema = (condition: ArgumentCondition): condition is ArgumentSchema =>
  typeof condition === 'object' && condition !== null && !isList(condition)
const isOptional = (condition: ArgumentCondition) => isSchema(condition) && condition.optional === true

function placeTests({ name, condition, at }: Named, way: MatchMode): ConditionTest<JsonObject>[] {
  if (!isSchema(condition)) return []
  return (['under', 'outside'] as const).flatMap((keyword) => {
    const folders = condition[keyword]
    if (folders === undefined) return []
    const known = [folders].flat().map((folder) => parseFolder(folder, `${at}/${keyword}`))
    const holds = keyword === 'under' ? liesUnder(known, way) : liesOutside(known, way)
    const why = `/${name}: the path is not ${way === 'sure' ? 'certainly ' : ''}${keyword} ${[folders].flat().join(', ')}`
    const test: ConditionTest<JsonObject> = {
      holds: (args) => holds(args[name]),
      why: (args) => (holds(args[name]) ? undefined : why),
    }
    return [test]
  })
}

type Holds = (value: Json | undefined) => boolean

/** To be let through, each path of a list must certainly lie there; to be stopped, it is enough that one might. */
function liesUnder(folders: readonly Folder[], way: MatchMode): Holds {
  const at = (path: Json) => folders.map((folder) => folder(path))
  if (way === 'sure') return ofEach((path) => at(path).includes('inside'))
  return ofSome((path) => at(path).some(isNot('outside')))
}

function liesOutside(folders: readonly Folder[], way: MatchMode): Holds {
  const at = (path: Json) => folders.map((folder) => folder(path))
  if (way === 'sure') return ofEach((path) => at(path).every((where) => where === 'outside'))
  return ofSome((path) => at(path).every(isNot('inside')))
}

const isNot = (other: PathPosition) => (where: PathPosition) => where !== other

/** What is absent has been looked at before: its place is none. */
const ofEach = (holds: (path: Json) => boolean): Holds => {
  return (value) => value === undefined || (Array.isArray(value) ? value.length > 0 && value.every(holds) : holds(value))
}

const ofSome = (holds: (path: Json) => boolean): Holds => {
  return (value) => value === undefined || (Array.isArray(value) ? value.length === 0 || value.some(holds) : holds(value))
}
