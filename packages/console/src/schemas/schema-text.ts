import { choicesOf } from './choices.js'
import { branchesOf, type TypeName, typesOf } from './field-kinds.js'
import { isObject, type Json, type JsonObject } from './json.js'

export const typeText: { readonly [type in TypeName]: string } = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  null: 'Nothing (null)',
  array: 'List',
  object: 'Group',
}

/** The type in words: “Text”, “List of whole numbers or nothing”. */
export function kindText(shape: JsonObject): string {
  const choices = choicesOf(shape)
  if (choices) return choices.length === 1 ? 'Always the same' : `One of ${choices.length}`
  if (branchesOf(shape).length > 0) return `One of ${branchesOf(shape).length} kinds`
  const types = typesOf(shape)
  if (types.length === 0) return 'No value'
  return types.length > 5
    ? 'Anything'
    : types.map((type, index) => (index === 0 ? typeText[type] : lower(typeText[type]))).join(' or ')
}

const lower = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1)

/** The limits of a value, each in a few words. */
export function limitTexts(shape: JsonObject): readonly string[] {
  return [
    range(shape.minLength, shape.maxLength, 'character'),
    numberWords(shape),
    range(shape.minItems, shape.maxItems, 'item'),
    range(shape.minProperties, shape.maxProperties, 'member'),
    shape.multipleOf === undefined ? undefined : `a multiple of ${words(shape.multipleOf)}`,
    shape.uniqueItems === true ? 'unique items' : undefined,
    formatWords(shape.format),
    shape.contentEncoding === undefined ? undefined : `encoded as ${words(shape.contentEncoding)}`,
    shape.contentMediaType === undefined ? undefined : `of the type ${words(shape.contentMediaType)}`,
    typeof shape.pattern === 'string' ? `matches /${shape.pattern}/` : undefined,
    isObject(shape.propertyNames) && shape.propertyNames.pattern !== undefined
      ? `names match /${words(shape.propertyNames.pattern)}/`
      : undefined,
  ].filter((limit) => limit !== undefined)
}

function numberWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): string | undefined {
  const [least, most] = [minimum, maximum]
  if (least !== undefined && most !== undefined) return `${words(least)} to ${words(most)}`
  const said = [
    least === undefined ? undefined : `at least ${words(least)}`,
    most === undefined ? undefined : `at most ${words(most)}`,
    typeof exclusiveMinimum === 'number' ? `more than ${exclusiveMinimum}` : undefined,
    typeof exclusiveMaximum === 'number' ? `less than ${exclusiveMaximum}` : undefined,
  ].filter((one) => one !== undefined)
  return said.length > 0 ? said.join(', ') : undefined
}

function range(least: Json | undefined, most: Json | undefined, thing: string): string | undefined {
  const counted = (count: Json) => `${words(count)} ${thing}${count === 1 ? '' : 's'}`
  const hasLeast = least !== undefined && least !== 0
  if (hasLeast && most !== undefined) return least === most ? `exactly ${counted(most)}` : `${words(least)} to ${counted(most)}`
  if (hasLeast) return `at least ${counted(least)}`
  return most === undefined ? undefined : `at most ${counted(most)}`
}

const formats: { readonly [format: string]: string } = {
  'date-time': 'a date and time, such as 2026-01-31T09:30:00Z',
  date: 'a date, such as 2026-01-31',
  time: 'a time, such as 09:30:00Z',
  email: 'an e-mail address',
  uri: 'an address, such as https://example.com/',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

function formatWords(format: Json | undefined): string | undefined {
  if (typeof format !== 'string') return undefined
  return Object.hasOwn(formats, format) ? formats[format] : `in the format ${format}`
}

const words = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
