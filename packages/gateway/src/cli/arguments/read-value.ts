import type { Json, JsonObject } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'

type ReadValue = { readonly value: Json } | { readonly wrong: string }

/** Reads a text by its schema; without a type in the schema, it stays a text. */
export function readValue(text: string, schema: Json | undefined): ReadValue {
  if (!isObject(schema)) return { value: text }
  const choices = choicesOf(schema)
  if (choices) return chosen(text, choices)
  const types = typesOf(schema)
  if (types.length === 0 || types.includes('string'))
    return types.includes('null') && text === 'null' ? { value: null } : { value: text }
  const fits = types.flatMap((type) => readers.get(type)?.(text) ?? [])
  return fits.find((one) => 'value' in one) ?? fits[0] ?? { value: text }
}

/** The allowed values, if the schema lists them. */
export function choicesOf({ enum: values, const: only, oneOf, anyOf }: JsonObject): Json[] | undefined {
  if (only !== undefined) return [only]
  if (Array.isArray(values)) return values
  const branches = [oneOf, anyOf].find(Array.isArray)
  const constants = branches?.filter(isObject).flatMap((branch) => (branch.const === undefined ? [] : [branch.const]))
  return constants && constants.length > 0 && constants.length === branches?.length ? constants : undefined
}

function chosen(text: string, choices: readonly Json[]): ReadValue {
  const found = choices.find((choice) => choice === text) ?? choices.find((choice) => JSON.stringify(choice) === text)
  if (found !== undefined) return { value: found }
  return {
    wrong: `must be one of ${choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice))).join(', ')}`,
  }
}

/** All types that a schema names, including those in its alternatives. */
export function typesOf({ type, anyOf, oneOf }: JsonObject): string[] {
  const named = [type].flat().filter((one) => typeof one === 'string')
  const branches = [anyOf, oneOf].filter(Array.isArray).flat().filter(isObject)
  return [...new Set([...named, ...branches.flatMap(typesOf)])]
}

const readers: ReadonlyMap<string, (text: string) => ReadValue> = new Map([
  ['null', (text) => (text === 'null' || text === '' ? { value: null } : { wrong: 'must be null' })],
  ['boolean', (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : { wrong: 'must be true or false' })],
  ['integer', (text) => (/^-?\d+$/.test(text.trim()) ? number(text) : { wrong: 'must be a whole number' })],
  ['number', (text) => (/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? number(text) : { wrong: 'must be a number' })],
  ['array', (text) => readJsonValue(text, Array.isArray, 'must be a list: write it as JSON, such as ["a","b"]')],
  ['object', (text) => readJsonValue(text, isObject, 'must be an object: write it as JSON, such as {"a":1}')],
])

function number(text: string): ReadValue {
  const value = Number(text)
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    return { wrong: 'is a number too large to be sent exactly' }
  return { value }
}

function readJsonValue(text: string, isRight: (value: unknown) => boolean, wrong: string): ReadValue {
  try {
    const value = parseJson(text)
    return isRight(value) ? { value } : { wrong }
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    return { wrong: thrown.code === 'syntax' ? wrong : `is not accepted: ${thrown.message}` }
  }
}
