// A server's questions to the person: forms, and pages to visit.
// spec 2026-07-28, client/elicitation
import { isObject, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { compile } from '../../schema/compile-schema.js'
import { SchemaError } from '../../schema/schema-error.js'
import type { Answering, Asked, FormAnswer } from '../client.js'
import { formatIssues } from './form-formats.js'
import { readPageAddress } from './page-address.js'
import type { PendingPages } from './pending-pages.js'

export const cancelAnswer: JsonObject = { action: 'cancel' }
const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

type ElicitContext = { answers: Answering; asked: Asked; pages: PendingPages; warn: (text: string) => void }

/** Puts the question to the elicitation handler. `warn` gets the reason when an answer could not be sent. */
export async function elicit(params: JsonObject, context: ElicitContext): Promise<JsonObject> {
  const mode = params.mode ?? 'form'
  const { form, page } = context.answers
  if (mode === 'form' && form) return askForm(params, form, context)
  if (mode === 'url' && page) return askPage(params, page, context)
  throw new RpcError(codes.invalidParams, `This client does not answer questions of the mode ${JSON.stringify(mode)}`)
}

type AnswerHandler<K extends keyof Answering> = NonNullable<Answering[K]>

async function askForm(params: JsonObject, form: AnswerHandler<'form'>, { asked, warn }: ElicitContext): Promise<JsonObject> {
  const schema = params.requestedSchema
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties))
    throw new RpcError(codes.invalidParams, 'params.requestedSchema must describe an object of fields')
  const check = formCheck(schema)
  const answer = await form({ ...asked, message: String(params.message ?? ''), schema, prefilled: formDefaults(schema) })
  if (answer.action !== 'accept') return withoutContent(answer.action)
  const issues = [...check.check(answer.content), ...formatIssues(schema, answer.content)]
  if (issues.length === 0) return { action: 'accept', content: answer.content }
  // The server would refuse this answer too, and the form should not have accepted it.
  const why = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  warn(`The answer to "${String(params.message).slice(0, 200)}" does not fit its form: ${why}`)
  return cancelAnswer
}

function formCheck(schema: JsonObject): ReturnType<typeof compile> {
  try {
    return compile(schema)
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause
    throw new RpcError(codes.invalidParams, `params.requestedSchema cannot be used: ${cause.message}`, { cause })
  }
}

function formDefaults(schema: JsonObject): JsonObject {
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (isObject(field) && field.default !== undefined ? [[name, field.default]] : [])),
  )
}

async function askPage(
  params: JsonObject,
  page: AnswerHandler<'page'>,
  { asked, pages, warn }: ElicitContext,
): Promise<JsonObject> {
  const look = readPageAddress(params.url)
  if (!look) {
    warn(
      `A server asked to open ${JSON.stringify(String(params.url).slice(0, 200))}, which is not an http or https address. The question was declined`,
    )
    return { action: 'decline' }
  }
  const { elicitationId: id } = params
  const completed = pages.begin(id)
  let answer = cancelAnswer
  try {
    const { action } = await page({ ...asked, message: String(params.message ?? ''), ...look, ...(completed && { completed }) })
    answer = withoutContent(action)
  } finally {
    if (answer.action !== 'accept') pages.forget(id)
  }
  return answer
}

/** Content belongs to forms that were accepted, and to nothing else. */
const withoutContent = (action: FormAnswer['action']): JsonObject => (actions.has(action) ? { action } : cancelAnswer)
