// A server's questions to the person: forms, and pages to visit.
// spec 2026-07-28, client/elicitation
import { isObject, type JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { SchemaError } from '../schema/schema-error.js'
import { compile } from '../schema/untrusted.js'
import type { Answering, Asked, FormAnswer } from './client.js'
import { misformatted } from './form-formats.js'
import { lookAt } from './pages.js'
import type { Visits } from './visits.js'

export const dismissed: JsonObject = { action: 'cancel' }
const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

/** Puts the question to whoever answers for the person. `warn` hears why an answer could not be passed on. */
export async function elicit(
  params: JsonObject,
  { answers, asked, visits, warn }: { answers: Answering; asked: Asked; visits: Visits; warn: (text: string) => void },
): Promise<JsonObject> {
  const mode = params.mode ?? 'form'
  if (mode === 'form' && answers.form) return fillIn(params, answers.form, { asked, warn })
  if (mode === 'url' && answers.page) return visit(params, answers.page, { asked, visits, warn })
  throw new RpcError(codes.invalidParams, `This client does not answer questions of the mode ${JSON.stringify(mode)}`)
}

type Around = { asked: Asked; warn: (text: string) => void }

async function fillIn(params: JsonObject, form: NonNullable<Answering['form']>, { asked, warn }: Around): Promise<JsonObject> {
  const schema = params.requestedSchema
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties))
    throw new RpcError(codes.invalidParams, 'params.requestedSchema must describe an object of fields')
  const check = formCheck(schema)
  const answer = await form({ ...asked, message: String(params.message ?? ''), schema, prefilled: prefilled(schema) })
  if (answer.action !== 'accept') return plainAction(answer.action)
  const issues = [...check.check(answer.content), ...misformatted(schema, answer.content)]
  if (issues.length === 0) return { action: 'accept', content: answer.content }
  // The server would refuse it, too; what a form does not allow should not have been accepted by whoever shows it.
  warn(
    `The answer to "${String(params.message).slice(0, 200)}" does not fit its form: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
  )
  return dismissed
}

function formCheck(schema: JsonObject): ReturnType<typeof compile> {
  try {
    return compile(schema)
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause
    throw new RpcError(codes.invalidParams, `params.requestedSchema cannot be used: ${cause.message}`, { cause })
  }
}

/** The fields that have a default. */
export function prefilled(schema: JsonObject): JsonObject {
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (isObject(field) && field.default !== undefined ? [[name, field.default]] : [])),
  )
}

type AroundVisit = Around & { visits: Visits }

async function visit(
  params: JsonObject,
  page: NonNullable<Answering['page']>,
  { asked, visits, warn }: AroundVisit,
): Promise<JsonObject> {
  const look = lookAt(params.url)
  if (!look) {
    warn(`A server asked to open ${JSON.stringify(String(params.url).slice(0, 200))}, which is no web page; it was declined`)
    return { action: 'decline' }
  }
  const { elicitationId: id } = params
  const completed = typeof id === 'string' && { completed: visits.begin(id) }
  const { action } = await page({ ...asked, message: String(params.message ?? ''), ...look, ...completed })
  return plainAction(action)
}

/** Content belongs to forms that were accepted, and to nothing else. */
const plainAction = (action: FormAnswer['action']): JsonObject => (actions.has(action) ? { action } : dismissed)
