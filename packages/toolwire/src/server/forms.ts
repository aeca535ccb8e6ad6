// What may be asked of a person in a form. spec 2026-07-28, client/elicitation#requested-schema
import type { JsonObject } from '../json.js'
import { describe } from '../schema/standard.js'
import type { Ask, FormAsk } from '../tools/ask.js'
import { fault } from '../tools/fault.js'

const simple: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])
/** Forms pass through the client, which is no place for these. */
const secret =
  /pass(word|phrase|code)|secret|api[_-]?key|private[_-]?key|access[_-]?token|auth[_-]?token|^token$|card[_-]?number|^cvv$|^cvc$|^ssn$|^pin$/i

/** The form of a question as JSON Schema; throws when it may not be asked that way. */
export function checkForm(key: string, ask: Ask): JsonObject | undefined {
  if (ask.kind === 'url') checkPage(key, ask.url)
  return ask.kind === 'form' ? formOf(key, ask) : undefined
}

function formOf(key: string, ask: FormAsk): JsonObject {
  const schema = describe(ask.schema, 'input') as JsonObject
  if (schema.type !== 'object') throw fault(`The question "${key}" needs an object of fields: z.object({ … })`)
  for (const [name, field] of Object.entries(schema.properties ?? {})) checkField(`${key}.${name}`, name, field as JsonObject)
  return schema
}

function checkField(where: string, name: string, field: JsonObject): void {
  if (secret.test(name))
    throw fault(
      `The question ${where} asks for something secret in a form, which every client can read; send the person to a page with ask.url`,
    )
  if (simple.has(field.type) || isChoice(field) || isChoices(field)) return
  throw fault(
    `The question ${where} is not simple enough for a form: fields are strings, numbers, booleans or choices, and objects do not nest`,
  )
}

const isChoice = (field: JsonObject) => Array.isArray(field.enum) && field.enum.every((one) => typeof one === 'string')
const isChoices = (field: JsonObject) =>
  field.type === 'array' &&
  typeof field.items === 'object' &&
  field.items !== null &&
  ('enum' in field.items || 'anyOf' in field.items)

function checkPage(key: string, url: string): void {
  const { protocol, username, password, hostname } = new URL(url)
  const local = hostname === 'localhost' || hostname === '127.0.0.1'
  if (protocol !== 'https:' && !(protocol === 'http:' && local)) throw fault(`The question "${key}" must lead to an https: page`)
  if (username || password) throw fault(`The question "${key}" puts credentials into a URL`)
}
