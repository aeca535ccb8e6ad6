import { isObject, type Json, type JsonObject } from './json.js'

/** Combines two schemas that apply to the same value. If a keyword cannot be combined, the first schema wins. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const joined: JsonObject = { ...other, ...one }
  for (const [keyword, join] of Object.entries(joins)) {
    const [first, second] = [one[keyword], other[keyword]]
    if (first !== undefined && second !== undefined) joined[keyword] = join(first, second)
  }
  return joined
}

type Join = (one: Json, other: Json) => Json

const least: Join = (one, other) => Math.min(Number(one), Number(other))
const most: Join = (one, other) => Math.max(Number(one), Number(other))
const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [value])
const isIn = (list: readonly Json[], item: Json): boolean => list.some((one) => JSON.stringify(one) === JSON.stringify(item))

const common: Join = (one, other) => listOf(one).filter((item) => isIn(listOf(other), item))
const together: Join = (one, other) => [...listOf(one), ...listOf(other).filter((item) => !isIn(listOf(one), item))]

/** An integer is a number too. */
const types: Join = (one, other) => {
  const allows = (list: readonly Json[], type: Json) => isIn(list, type) || (type === 'integer' && isIn(list, 'number'))
  const [first, second] = [listOf(one), listOf(other)]
  return [...new Set([...first.filter((type) => allows(second, type)), ...second.filter((type) => allows(first, type))])]
}

const members: Join = (one, other) => {
  if (!isObject(one) || !isObject(other)) return one
  const joined = Object.keys(one).map((name) => [name, Object.hasOwn(other, name) ? allOf(one[name], other[name]) : one[name]])
  const others = Object.entries(other).filter(([name]) => !Object.hasOwn(one, name))
  return Object.fromEntries([...joined, ...others])
}

const allOf = (one: Json | undefined, other: Json | undefined): JsonObject => ({ allOf: [one ?? {}, other ?? {}] })

const joins: { readonly [keyword: string]: Join } = {
  type: types,
  enum: common,
  required: together,
  properties: members,
  patternProperties: members,
  minimum: most,
  exclusiveMinimum: most,
  minLength: most,
  minItems: most,
  minProperties: most,
  maximum: least,
  exclusiveMaximum: least,
  maxLength: least,
  maxItems: least,
  maxProperties: least,
}
