// Shows an upstream's question to a person: first the server's name in words of the gateway, then the upstream's text with each line
// quoted. So the text cannot pose as the gateway, an approval, or another server.
import type { Json, JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'

const oneWord = /^\S{1,64}$/
const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
const longest = 65_536
const longestPreset = 64
const mark = '> '

export function quoteQuestion(server: string, message: string): string {
  const whole = message.slice(0, longest).toWellFormed()
  const cut = message.length > longest ? [`(cut: this is the beginning of ${message.length} characters)`] : []
  const said = whole === '' ? [] : [quotedLines(whole)]
  return [`${introduction(server)}, in its own words:`, ...said, ...cut].join('\n')
}

/** Text with a mark before each line. */
export const quotedLines = (text: string): string =>
  text
    .split(lineEnd)
    .map((line) => `${mark}${line}`)
    .join('\n')

/** Members that restrict a field. Its labels, choices and default are handled on their own. */
const constraints = ['type', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']

/** The known members of a form, with its labels in quotes. The answer is still checked against the upstream's own schema. */
export function quoteForm({ properties, required }: JsonObject): JsonObject {
  const fields = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) =>
    isObject(field) ? [[name, fieldOf(name, field)] as const] : [],
  )
  const names = new Set<Json>(fields.map(([name]) => name))
  const demanded = Array.isArray(required) && { required: required.filter((name) => names.has(name)) }
  return { type: 'object', properties: Object.fromEntries(fields), ...demanded }
}

function fieldOf(name: string, field: JsonObject): JsonObject {
  const { title = name, description, items, default: preset } = field
  const choices: readonly Json[] = choicesOf(isObject(items) ? items : field).map((choice) => choice.const)
  const isKept = preset !== undefined && [preset].flat().every((one) => isShort(one) || choices.includes(one))
  // A mark would be part of the answer, and a long text could imitate the gateway where a client fills it in.
  const suggested = typeof preset === 'string' && !isKept ? [`(suggested: ${preset})`] : []
  const about = [...(description === undefined ? [] : [textOf(description)]), ...suggested]
  return {
    ...constrained(field, 'oneOf'),
    title: quotedLine(title),
    ...(about.length > 0 && { description: quotedLine(about.join(' ')) }),
    ...(isObject(items) && { items: constrained(items, 'anyOf') }),
    ...(isKept && { default: preset }),
  }
}

/**
 * The constraints and choices of a field. A choice without a title is shown by its value, which the answer has to repeat exactly. Only
 * plain values stay without a title.
 */
function constrained(field: JsonObject, titled: 'oneOf' | 'anyOf'): JsonObject {
  const kept = Object.fromEntries(constraints.flatMap((name) => (isPlain(field[name]) ? [[name, field[name]]] : [])))
  const { enum: values, enumNames: names } = field
  if (Array.isArray(values) && values.every(isPlain))
    return { ...kept, enum: values, ...(Array.isArray(names) && { enumNames: names.slice(0, values.length).map(quotedLine) }) }
  const choices = choicesOf(field).map(({ const: value, title = value, description }) => ({
    const: value,
    title: quotedLine(title),
    ...(description !== undefined && { description: quotedLine(description) }),
  }))
  return choices.length === 0 ? kept : { type: 'string', ...kept, [titled]: choices }
}

type Choice = JsonObject & { readonly const: string | number | boolean }

/** The choices of a field; none if one of them is not a single value. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  const names = Array.isArray(enumNames) ? enumNames : []
  const listed = Array.isArray(values) && values.map((value, at) => ({ const: value, title: names[at] ?? value }))
  const choices: Json[] = listed || [oneOf, anyOf].filter(Array.isArray).flat()
  return choices.every(isChoice) ? choices : []
}

const isChoice = (one: Json): one is Choice => isObject(one) && ['string', 'number', 'boolean'].includes(typeof one.const)

/** Numbers, truth values and single words cannot imitate the gateway. */
const isPlain = (value: Json | undefined): boolean =>
  typeof value === 'string' ? oneWord.test(value) : typeof value === 'number' || typeof value === 'boolean'

/** A single line that fits the field of a form. */
const isShort = (value: Json | undefined): boolean =>
  isPlain(value) || (typeof value === 'string' && value.length <= longestPreset && !lineEnd.test(value))

/** Names the server in the first line of a model request, because a person may review the request. */
export function quoteModelRequest(server: string, request: JsonObject): JsonObject {
  const { systemPrompt } = request
  const own = typeof systemPrompt === 'string' && systemPrompt !== '' ? `\n\n${systemPrompt}` : ''
  return { ...request, systemPrompt: `${introduction(server)}, through a gateway.${own}` }
}

const quotedLine = (label: Json): string => `${mark}${textOf(label).split(lineEnd).join(' ')}`
const textOf = (label: Json): string => (typeof label === 'string' ? label : JSON.stringify(label))

const introduction = (server: string): string => `The server ${JSON.stringify(plainText.visibleLine(server))} asks this`
