// The schema restrictions of each provider according to its documentation, independent of the code that applies them.
import { isObject, type Json, type JsonObject } from '../../src/json.js'
import { compile } from '../../src/schema/index.js'

const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']

/** Valid 2020-12, with an object at the root, without combinators there, and without references. */
export function faultsOfObject(schema: JsonObject): string[] {
  const faults = refusedAtTop.filter((keyword) => keyword in schema)
  if (schema.type !== 'object') faults.push('type')
  if (!isObject(schema.properties)) faults.push('properties')
  if (JSON.stringify(schema, withoutData).includes('"$ref"')) faults.push('$ref')
  compile(schema)
  return faults
}

const data = ['default', 'const', 'enum', 'examples']
/** A member with the name $ref is no reference, and its value is a schema. */
const withoutData = (key: string, value: unknown) =>
  data.includes(key) || (key === '$ref' && typeof value !== 'string') ? undefined : value

const strictKeywords = new Set(
  'type properties required additionalProperties items anyOf enum title description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems'.split(
    ' ',
  ),
)

export function faultsOfStrict(schema: JsonObject): string[] {
  const faults = faultsOfObject(schema)
  visit(schema, (each) => {
    faults.push(...Object.keys(each).filter((keyword) => !strictKeywords.has(keyword)))
    if (each.type === undefined && each.anyOf === undefined) faults.push('no type')
    if (each.type === 'array' && !isObject(each.items)) faults.push('items')
    if (each.type !== 'object') return
    if (each.additionalProperties !== false) faults.push('open')
    const names = Object.keys(isObject(each.properties) ? each.properties : {})
    if (JSON.stringify(names) !== JSON.stringify(each.required)) faults.push('required')
  })
  return faults
}

const geminiKeywords = new Set(
  'type format title description nullable enum items maxItems minItems properties required minProperties maxProperties minimum maximum minLength maxLength pattern anyOf'.split(
    ' ',
  ),
)
const geminiTypes = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT']

export function faultsOfGemini(schema: JsonObject): string[] {
  const faults: string[] = schema.type === 'OBJECT' ? [] : ['top']
  visit(schema, (each) => {
    faults.push(...Object.keys(each).filter((keyword) => !geminiKeywords.has(keyword)))
    if (each.anyOf !== undefined) return void faults.push(...Object.keys(each).filter((keyword) => keyword !== 'anyOf'))
    if (!geminiTypes.includes(String(each.type))) faults.push(`type ${each.type}`)
    if (each.type === 'ARRAY' && !isObject(each.items)) faults.push('items')
    if (isObject(each.properties) && Object.keys(each.properties).length === 0) faults.push('no members')
    if (Array.isArray(each.enum) && !each.enum.every((value) => typeof value === 'string' && value !== '')) faults.push('enum')
    const names = Array.isArray(each.required) ? each.required : []
    if (!names.every((name) => isObject(each.properties) && Object.hasOwn(each.properties, String(name)))) faults.push('required')
  })
  return faults
}

function visit(schema: Json | undefined, see: (schema: JsonObject) => void): void {
  if (!isObject(schema)) return
  see(schema)
  for (const member of Object.values(isObject(schema.properties) ? schema.properties : {})) visit(member, see)
  for (const branch of Array.isArray(schema.anyOf) ? schema.anyOf : []) visit(branch, see)
  visit(schema.items, see)
}

/** The equivalent JSON Schema. */
export function backFromGemini(schema: JsonObject): JsonObject {
  const { type, nullable, properties, items, anyOf, ...rest } = schema
  const back: JsonObject = {
    ...rest,
    ...(typeof type === 'string' && { type: type.toLowerCase() }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, isObject(each) ? backFromGemini(each) : {}]),
      ),
    }),
    ...(isObject(items) && { items: backFromGemini(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.filter((each) => isObject(each)).map(backFromGemini) }),
  }
  return nullable === true ? { anyOf: [back, { type: 'null' }] } : back
}
