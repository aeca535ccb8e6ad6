import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeContent } from '../../revisions/encode/encode-content.js'
import { ownMember } from '../../schema/compiler/members.js'
import { visibleLine } from '../../text/visible.js'
import { InputRequired } from '../../tools/ask.js'
import { checkContent } from '../../tools/checks/check-content.js'
import type { PromptMessage, ReadyPrompt } from '../../tools/prompt.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import type { HandlerContext } from '../calls/handler-context.js'
import type { RequestContext } from '../request-context.js'
import { missingEntry } from './missing-entry.js'
import { readEntry } from './read-entry.js'

export function getPrompt(x: RequestContext): Promise<JsonObject> {
  return readEntry(x, {
    reading: 'get-prompt',
    find: () => ({ entry: promptFor(x, x.params.name) }),
    reader({ entry }) {
      const args = argumentsFor(entry, x.params.arguments)
      return (context) => messagesOf(entry, args, context)
    },
    encode(prompted, { entry: { definition } }) {
      const { description } = definition
      const messages = prompted.map(({ role, content }) => ({ role, content: encodeContent(content, x.revision) }))
      return { ...(description !== undefined && { description }), messages }
    },
  })
}

export function promptFor(x: RequestContext, name: Json | undefined): ReadyPrompt {
  if (typeof name !== 'string') throw new RpcError(codes.invalidParams, 'params.name must be a string, the name of a prompt')
  const entry = x.app.catalog.prompts.get(name)
  if (entry && x.app.catalog.seenBy(x.caller)(entry)) return entry
  const message = `Unknown prompt: ${visibleLine(name.slice(0, 128))}`
  throw missingEntry(x, { code: codes.invalidParams, message, isHidden: entry !== undefined })
}

function argumentsFor({ definition }: ReadyPrompt, given: Json | undefined = {}): Record<string, string> {
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
    throw new RpcError(codes.invalidParams, 'params.arguments must be an object of strings')
  const declared = definition.args ?? {}
  const lacking = Object.entries(declared).find(([name, { required }]) => required && ownMember(given, name) === undefined)
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
