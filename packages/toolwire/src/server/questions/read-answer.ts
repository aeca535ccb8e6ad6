import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { validator } from '../../schema/validator.js'
import { type Ask, Declined, type FormAsk } from '../../tools/ask.js'

/** The answer does not fit the question; the person may try again. */
export class UnfitAnswer extends Error {}

/** The value of an answer; throws Declined if it was declined, and UnfitAnswer if it does not fit. */
export async function readElicitationAnswer(ask: Ask, response: JsonObject): Promise<unknown> {
  switch (ask.kind) {
    case 'form':
      return accepted(ask.message, response) && fit(ask, response.content ?? {})
    case 'url':
      return accepted(ask.message, response)
    case 'model':
      if (typeof response.model !== 'string' || response.content === undefined)
        throw new UnfitAnswer('a sampling result needs model, role and content')
      return response
    case 'roots':
      if (Array.isArray(response.roots) && response.roots.every(isFileRoot)) return response.roots
      throw new UnfitAnswer('roots must be a list of file:// URIs')
  }
}

const isFileRoot = (root: Json) => isObject(root) && String(root.uri).startsWith('file://')

function accepted(message: string, { action }: JsonObject): true {
  if (action === 'accept') return true
  if (action === 'decline' || action === 'cancel') throw new Declined(action, message)
  throw new UnfitAnswer("action must be 'accept', 'decline' or 'cancel'")
}

/** Fields that were not asked for are harmless. */
async function fit(ask: FormAsk, content: unknown): Promise<unknown> {
  const checked = await validator(ask.schema, 'output')(content)
  if (checked.issues) throw new UnfitAnswer(checked.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; '))
  return checked.value
}

/** The responses in a retried request; throws unless they are an object of objects. */
export function responsesIn(params: JsonObject): Readonly<Record<string, JsonObject>> {
  const given = params.inputResponses
  if (given === undefined) return {}
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new RpcError(codes.invalidParams, 'params.inputResponses must be an object of response objects')
  return given as Record<string, JsonObject> // just checked
}
