// Shows an upstream's question to a person: first the server's name in words of the gateway, then the upstream's text with each line
// quoted. So the text cannot pose as the gateway, an approval, or another server.
import type { Json, JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'

const oneWord = /^\S{1,64}$/
const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
const longest = 65_536
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

/** Quotes the labels of a form; the answer is not affected. */
export function quoteForm(schema: JsonObject): JsonObject {
  if (!isObject(schema.properties)) return schema
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, fieldOf(name, field)])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function fieldOf(name: string, field: Json | undefined): Json | undefined {
  if (!isObject(field)) return field
  const { title = name, description, items } = field
  return {
    ...quoteChoices(field, 'oneOf'),
    title: quotedLine(title),
    ...(description !== undefined && { description: quotedLine(description) }),
    ...(isObject(items) && { items: quoteChoices(items, 'anyOf') }),
  }
}

/**
 * Choices with quoted titles. A choice without a title is shown by its value, which the answer has to repeat exactly. Only values of one
 * word stay as they are, because they cannot imitate the gateway.
 */
function quoteChoices(field: JsonObject, titled: 'oneOf' | 'anyOf'): JsonObject {
  const { enum: values, enumNames, ...rest } = field
  const names = Array.isArray(enumNames) ? enumNames : []
  const isPlain = !Array.isArray(values) || values.every((value) => typeof value !== 'string' || oneWord.test(value))
  const listed = !isPlain && values.map((value, at) => choiceOf({ const: value, title: names[at] ?? value }))
  return {
    ...rest,
    ...(isPlain && values !== undefined && { enum: values, ...(names.length > 0 && { enumNames: names.map(quotedLine) }) }),
    ...(Array.isArray(field.oneOf) && { oneOf: field.oneOf.map(choiceOf) }),
    ...(Array.isArray(field.anyOf) && { anyOf: field.anyOf.map(choiceOf) }),
    ...(listed && { type: field.type ?? 'string', [titled]: listed }),
  }
}

function choiceOf(choice: Json): Json {
  if (!isObject(choice)) return choice
  const shown = choice.title ?? choice.const
  return shown === undefined ? choice : { ...choice, title: quotedLine(shown) }
}

/** Names the server in the first line of a model request, because a person may review the request. */
export function quoteModelRequest(server: string, request: JsonObject): JsonObject {
  const { systemPrompt } = request
  const own = typeof systemPrompt === 'string' && systemPrompt !== '' ? `\n\n${systemPrompt}` : ''
  return { ...request, systemPrompt: `${introduction(server)}, through a gateway.${own}` }
}

const quotedLine = (text: unknown): string => `${mark}${String(text).split(lineEnd).join(' ')}`

const introduction = (server: string): string => `The server ${JSON.stringify(plainText.visibleLine(server))} asks this`
