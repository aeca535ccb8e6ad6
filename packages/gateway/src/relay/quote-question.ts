// Shows an upstream's question to a person: first the server's name in words of the gateway, then the upstream's text with each line
// quoted. So the text cannot pose as the gateway, an approval, or another server.
import type { Json, JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'

const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
const longest = 65_536
const mark = '> '

export function quoteQuestion(server: string, message: string): string {
  const whole = message.slice(0, longest).toWellFormed()
  const cut = message.length > longest ? [`(cut: this is the beginning of ${message.length} characters)`] : []
  const said = whole === '' ? [] : whole.split(lineEnd).map((line) => `${mark}${line}`)
  return [`${introduction(server)}, in its own words:`, ...said, ...cut].join('\n')
}

/** Quotes the labels of a form; the answer is not affected. */
export function quoteForm(schema: JsonObject): JsonObject {
  if (!isObject(schema.properties)) return schema
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, fieldOf(name, field)])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function fieldOf(name: string, field: Json | undefined): Json | undefined {
  if (!isObject(field)) return field
  const { title = name, description, oneOf, anyOf, items, enumNames } = field
  return {
    ...field,
    title: quotedLine(title),
    ...(description !== undefined && { description: quotedLine(description) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(choiceOf) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(choiceOf) }),
    ...(Array.isArray(enumNames) && { enumNames: enumNames.map(quotedLine) }),
    ...(isObject(items) && Array.isArray(items.anyOf) && { items: { ...items, anyOf: items.anyOf.map(choiceOf) } }),
  }
}

const choiceOf = (choice: Json): Json =>
  isObject(choice) && choice.title !== undefined ? { ...choice, title: quotedLine(choice.title) } : choice

/** Names the server in the first line of a model request, because a person may review the request. */
export function quoteModelRequest(server: string, request: JsonObject): JsonObject {
  const { systemPrompt } = request
  const own = typeof systemPrompt === 'string' && systemPrompt !== '' ? `\n\n${systemPrompt}` : ''
  return { ...request, systemPrompt: `${introduction(server)}, through a gateway.${own}` }
}

const quotedLine = (text: unknown): string => `${mark}${String(text).split(lineEnd).join(' ')}`

const introduction = (server: string): string => `The server ${JSON.stringify(plainText.visibleLine(server))} asks this`
