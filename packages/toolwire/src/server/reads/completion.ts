import { withDeadline } from '../../bounds/deadline.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { visibleLine } from '../../text/visible.js'
import { holdsScopes, isCrowd } from '../../tools/caller.js'
import type { ReadyPrompt } from '../../tools/prompt.js'
import { Refusal } from '../../tools/refusal.js'
import type { Completer, ReadyTemplate } from '../../tools/resource.js'
import { handlerError } from '../calls/handler-error.js'
import type { RequestContext } from '../request-context.js'
import { promptFor } from './prompts.js'

const most = 100
const timeoutMs = 60_000

export async function completeArgument(x: RequestContext): Promise<JsonObject> {
  const { ref, argument, context } = x.params
  if (!isObject(ref) || !isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new RpcError(codes.invalidParams, 'completion/complete needs ref and argument { name, value }')
  }
  limitCompletion(x)
  const { entry, suggest } = suggesterFor(x, ref, argument.name)
  // The caller must be allowed to use the server of the entry, because the typed text is sent there.
  const admitting = suggest && x.admitReading(entry)
  if (admitting) await admitting
  const values = suggest ? await suggestionsFrom(suggest, argument.value, givenIn(context), x.caller) : []
  return { completion: { values: values.slice(0, most), total: values.length, hasMore: values.length > most } }
}

function givenIn(context: Json | undefined): Record<string, string> {
  const given = isObject(context) ? (context.arguments ?? {}) : {}
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
    throw new RpcError(codes.invalidParams, 'params.context.arguments must be an object of strings')
  return given as Record<string, string> // every value was just checked
}

/** Slows down guessing of names. Strangers share one name, so only the concurrency limit bounds them. */
function limitCompletion({ app, caller }: RequestContext): void {
  const waitMs = isCrowd(caller) ? 0 : app.suggestions(caller.id)
  if (waitMs > 0)
    throw new Refusal('rate-limited', 'Too many completions; try again shortly', { retryAfterMs: Math.ceil(waitMs) })
}

async function suggestionsFrom(suggest: Completer, ...asked: Parameters<Completer>): Promise<readonly string[]> {
  try {
    return await withDeadline(timeoutMs, suggest(...asked), () => {
      throw new RpcError(codes.internalError, `Not finished within ${timeoutMs} ms`)
    })
  } catch (thrown) {
    throw handlerError(thrown)
  }
}

/** An entry with the completer of an argument, if it has one. */
type Suggester = { readonly entry: ReadyPrompt | ReadyTemplate; readonly suggest: Completer | undefined }

function suggesterFor(x: RequestContext, ref: JsonObject, argument: string): Suggester {
  if (ref.type === 'ref/prompt') return fromPrompt(x, ref, argument)
  if (ref.type === 'ref/resource') return fromTemplate(x, ref, argument)
  throw new RpcError(codes.invalidParams, "params.ref.type must be 'ref/prompt' or 'ref/resource'")
}

function fromPrompt(x: RequestContext, { name }: JsonObject, argument: string): Suggester {
  const entry = promptFor(x, name)
  const declared = ownOf(entry.definition.args, argument)
  if (!declared) throw new RpcError(codes.invalidParams, `The prompt has no argument "${visibleLine(argument.slice(0, 64))}"`)
  return { entry, suggest: declared.complete }
}

function fromTemplate(x: RequestContext, { uri }: JsonObject, argument: string): Suggester {
  const { app, caller } = x
  const visible = app.catalog.resources.all.filter(({ definition }) => holdsScopes(caller, definition.scopes ?? []))
  const found = visible.find((entry) => entry.kind === 'template' && entry.definition.uriTemplate === uri)
  if (found?.kind !== 'template') throw new RpcError(codes.invalidParams, 'params.ref.uri names no resource template')
  if (!found.pattern.variables.includes(argument))
    throw new RpcError(codes.invalidParams, `The template has no variable "${visibleLine(argument.slice(0, 64))}"`)
  return { entry: found, suggest: ownOf(found.definition.complete, argument) }
}

/** The declared value of a name, without members that every object inherits. */
const ownOf = <T>(declared: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  declared && Object.hasOwn(declared, name) ? declared[name] : undefined
