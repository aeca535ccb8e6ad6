// Rules for forms that a person is asked to fill in. spec 2026-07-28, client/elicitation#requested-schema
import { isObject, type Json, type JsonObject } from '../../json.js'
import { jsonSchemaOf } from '../../schema/validator.js'
import { fieldAsksForSecret, isSensitiveName } from '../../text/secrets/sensitive-names.js'
import type { Ask, FormAsk, UrlAsk } from '../../tools/ask.js'
import { definitionError } from '../../tools/checks/definition-error.js'
import { loopbackHosts } from '../../tools/checks/secure-url.js'

const simple: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

export function checkAsk(key: string, ask: Ask): void {
  if (ask.kind === 'url') checkUrlAsk(key, ask)
  if (ask.kind === 'form') elicitationForm(key, ask)
}

export function elicitationForm(key: string, ask: FormAsk): JsonObject {
  const schema = jsonSchemaOf(ask.schema, 'input')
  if (schema.type !== 'object') throw definitionError(`The question "${key}" needs an object of fields: z.object({ … })`)
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    checkField(`${key}.${name}`, name, { field, message: ask.message })
  return schema
}

const secret = 'asks for something secret in a form, which every client can read; send the person to a page with ask.url'
const notSimple = 'is not simple enough for a form: fields are strings, numbers, booleans or choices, and objects do not nest'

type Shown = { readonly field: Json | undefined; readonly message: string }

function checkField(where: string, name: string, { field, message }: Shown): void {
  if (fieldAsksForSecret(name, field, message)) throw definitionError(`The question ${where} ${secret}`)
  if (isObject(field) && (simple.has(field.type) || isChoice(field) || isChoices(field))) return
  throw definitionError(`The question ${where} ${notSimple}`)
}

const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)
const isChoice = (field: JsonObject) => Array.isArray(field.enum) && field.enum.every((one) => typeof one === 'string')
const isChoices = (field: JsonObject) =>
  field.type === 'array' && isObject(field.items) && ('enum' in field.items || 'anyOf' in field.items)

export function checkUrlAsk(key: string, { url }: UrlAsk): void {
  const { protocol, username, password, hostname, searchParams } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && loopbackHosts.has(hostname)))
    throw definitionError(`The question "${key}" must lead to an https: page`)
  if (username || password) throw definitionError(`The question "${key}" puts credentials into a URL`)
  // spec 2026-07-28, client/elicitation#safe-url-handling: holding the link must not prove who the user is.
  for (const [name, value] of searchParams)
    if (isSensitiveName(name) || /token/i.test(name) || isEmail(value))
      throw definitionError(
        `The question "${key}" puts "${name}" into a URL; put an opaque id there and keep the rest on your side`,
      )
}
