import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { visibleLine } from '../../text/visible.js'
import { isCrowd } from '../../tools/caller.js'
import type { ReadyPrompt } from '../../tools/prompt.js'
import { Refusal } from '../../tools/refusal.js'
import type { Completer, ReadyTemplate } from '../../tools/resource.js'
import { HandlerContext } from '../calls/handler-context.js'
import type { RequestContext } from '../request-context.js'
import { missingEntry } from './missing-entry.js'
import { promptFor } from './prompts.js'
import { readInTime, recheckOf } from './read-entry.js'
import { recordRead } from './recorded-read.js'

const most = 100

export function completeArgument(x: RequestContext): Promise<JsonObject> {
  return recordRead(x, { reading: 'complete', params: x.params, find: () => findSuggester(x) }, async (found, begin) => {
    // The caller must be allowed to use the server of the entry, because the typed text is sent there.
    const admitting = found.suggest && x.admitReading(found.entry)
    if (admitting) await admitting
    const values = await suggestionsFrom(x, found, begin)
    return { completion: { values: values.slice(0, most), total: values.length, hasMore: values.length > most } }
  })
}

function findSuggester(x: RequestContext): Suggester & { readonly find: () => Suggester; readonly typed: string } {
  const { ref, argument } = x.params
  if (!isObject(ref) || !isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new RpcError(codes.invalidParams, 'completion/complete needs ref and argument { name, value }')
  }
  const { name, value: typed } = argument
  limitCompletion(x)
  const find = () => suggesterFor(x, ref, name)
  return { ...find(), find, typed }
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

async function suggestionsFrom(x: RequestContext, found: ReturnType<typeof findSuggester>, begin: () => void) {
  const { entry, suggest, find, typed } = found
  if (!suggest) return []
  const given = givenIn(x.params.context)
  const context = new HandlerContext(x, { elicitor: cannotAsk })
  context.recheck = recheckOf(x, entry, () => find().entry)
  begin()
  return readInTime(x, { entry, context }, async () => suggest(typed, given, x.caller, context))
}

const cannotAsk = () => {
  throw new Error('A completer cannot ask a question')
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
  const named = app.catalog.resources.all.filter((entry) => entry.kind === 'template' && entry.definition.uriTemplate === uri)
  const found = named.find(app.catalog.seenBy(caller))
  if (found?.kind !== 'template') {
    const message = 'params.ref.uri names no resource template'
    throw missingEntry(x, { code: codes.invalidParams, message, isHidden: named.length > 0 })
  }
  if (!found.pattern.variables.includes(argument))
    throw new RpcError(codes.invalidParams, `The template has no variable "${visibleLine(argument.slice(0, 64))}"`)
  return { entry: found, suggest: ownOf(found.definition.complete, argument) }
}

/** The declared value of a name, without members that every object inherits. */
const ownOf = <T>(declared: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  declared && Object.hasOwn(declared, name) ? declared[name] : undefined
