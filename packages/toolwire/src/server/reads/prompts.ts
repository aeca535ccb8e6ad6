import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeContent } from '../../revisions/encode/encode-content.js'
import { visibleLine } from '../../text/visible.js'
import { InputRequired } from '../../tools/ask.js'
import { holdsScopes } from '../../tools/caller.js'
import { checkContent } from '../../tools/checks/check-content.js'
import type { PromptMessage, ReadyPrompt } from '../../tools/prompt.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { missingEntry } from './missing-entry.js'
import { readWithTimeout } from './read-with-timeout.js'

export async function getPrompt(x: RequestContext): Promise<JsonObject> {
  const entry = promptFor(x, x.params.name)
  const args = argumentsFor(entry, x.params.arguments)
  const admit = () => x.admitReading(entry)
  const admitting = admit()
  if (admitting) await admitting
  const elicited = await runWithElicitation(x, (context) => {
    context.checkAnswer = admit
    return readWithTimeout(entry.definition.timeout, context, () => messagesOf(entry, args, context))
  })
  if ('asked' in elicited) return elicited.asked
  const { description } = entry.definition
  const messages = elicited.value.map(({ role, content }) => ({ role, content: encodeContent(content, x.revision) }))
  return { ...(description !== undefined && { description }), messages }
}

export function promptFor(x: RequestContext, name: Json | undefined): ReadyPrompt {
  if (typeof name !== 'string') throw new RpcError(codes.invalidParams, 'params.name must be a string, the name of a prompt')
  const entry = x.app.catalog.prompts.get(name)
  if (entry && holdsScopes(x.caller, entry.definition.scopes ?? [])) return entry
  throw missingEntry(x, { code: codes.invalidParams, message: `Unknown prompt: ${visibleLine(name.slice(0, 128))}` })
}

function argumentsFor({ definition }: ReadyPrompt, given: Json | undefined = {}): Record<string, string> {
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
    throw new RpcError(codes.invalidParams, 'params.arguments must be an object of strings')
  const declared = definition.args ?? {}
  const lacking = Object.entries(declared).find(([name, { required }]) => required && given[name] === undefined)
  if (lacking) throw new RpcError(codes.invalidParams, `The prompt needs the argument "${lacking[0]}"`)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name))
  if (unknown === undefined) return given as Record<string, string> // every value was just checked
  const known = Object.keys(declared).join(', ') || 'none'
  throw new RpcError(codes.invalidParams, `The prompt has no argument "${unknown.slice(0, 64)}"; it has: ${known}`)
}

type Messages = readonly PromptMessage[]

async function messagesOf({ definition }: ReadyPrompt, args: Record<string, string>, context: HandlerContext): Promise<Messages> {
  const prompted = await definition.run(args, context)
  if (prompted instanceof InputRequired) throw new SuspendedWithQuestions(prompted)
  if (typeof prompted === 'string') return [{ role: 'user', content: { type: 'text', text: prompted } }]
  if (!definition.foreign) for (const { content } of prompted) checkContent(content)
  return prompted
}
