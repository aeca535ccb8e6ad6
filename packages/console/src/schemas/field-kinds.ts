import { choicesOf } from './choices.js'
import { isObject, type Json, type JsonObject } from './json.js'

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
export type FieldKind = 'text' | 'number' | 'truth' | 'nothing' | 'choice' | 'choices' | 'group' | 'list' | 'either' | 'never'

const everyType: readonly TypeName[] = ['string', 'number', 'boolean', 'object', 'array', 'null']
const names: ReadonlySet<Json> = new Set([...everyType, 'integer'])
const isTypeName = (name: Json): name is TypeName => names.has(name)

const kinds: { readonly [type in TypeName]: FieldKind } = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'truth',
  null: 'nothing',
  array: 'list',
  object: 'group',
}

/** The types that a value may have. A schema that only lists properties means an object, although it allows other types. */
export function typesOf({ type, properties, required, additionalProperties, items }: JsonObject): readonly TypeName[] {
  if (type === undefined) {
    if (properties !== undefined || required !== undefined || additionalProperties !== undefined) return ['object']
    return items === undefined ? everyType : ['array']
  }
  const said = (Array.isArray(type) ? type : [type]).filter(isTypeName)
  return said.includes('number') ? said.filter((name) => name !== 'integer') : said
}

export function kindOf(shape: JsonObject): FieldKind {
  if (isNever(shape)) return 'never'
  if (choicesOf(shape)) return 'choice'
  if (branchesOf(shape).length > 0) return 'either'
  const [only, ...others] = typesOf(shape)
  if (only === undefined) return 'never'
  if (others.length > 0) return 'either'
  return only === 'array' && isObject(shape.items) && choicesOf(shape.items) ? 'choices' : kinds[only]
}

const isNever = ({ not }: JsonObject): boolean => not === true || (isObject(not) && Object.keys(not).length === 0)

export function branchesOf({ oneOf, anyOf, type }: JsonObject): readonly Json[] {
  const branches = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  // Branches that only require members do not change the form; validation reports the missing ones.
  const onlyRequired = branches.every(
    (branch) => isObject(branch) && Object.keys(branch).every((keyword) => keyword === 'required'),
  )
  return type === 'object' && onlyRequired ? [] : branches
}

export function isOfType(value: Json | undefined, type: TypeName): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'null' ? value === null : typeof value === type
}
