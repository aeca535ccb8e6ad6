import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeContents } from '../../revisions/encode/encode-content.js'
import { InputRequired } from '../../tools/ask.js'
import { holdsScopes } from '../../tools/caller.js'
import { checkContentMetadata, checkContents, checkUri } from '../../tools/checks/check-content.js'
import { DefinitionError } from '../../tools/checks/definition-error.js'
import { base64, type ResourceContents } from '../../tools/content.js'
import { Refusal } from '../../tools/refusal.js'
import type { ReadResult, ReadyResource, ReadyTemplate } from '../../tools/resource.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import { type FoundResource, findResource, matchBudget, SharedUri } from '../../tools/uris/find-resource.js'
import type { App } from '../app.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { limitReading } from '../lists/list-rate.js'
import { runWithElicitation } from '../questions/run-with-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { missingEntry } from './missing-entry.js'
import { readWithTimeout } from './read-with-timeout.js'

const mostWatched = 1_000
/** Characters of the URIs that a session, or a subscription, watches. */
const mostWatchedCharacters = 1024 * 1024

export function checkWatchedCharacters(uris: Iterable<string>): void {
  let characters = 0
  for (const { length } of uris) characters += length
  if (characters > mostWatchedCharacters)
    throw new RpcError(
      codes.invalidParams,
      `The watched URIs would have more than ${mostWatchedCharacters} characters; watch fewer`,
    )
}

export async function readResource(x: RequestContext): Promise<JsonObject> {
  const uri = uriIn(x.params)
  const found = find(x, uri)
  const admit = () => x.admitReading(found.entry)
  const admitting = admit()
  if (admitting) await admitting
  const elicited = await runWithElicitation(x, (context) => {
    context.checkAnswer = admit
    return readWithTimeout(found.entry.definition.timeout, context, () => contentsOf(found, uri, context))
  })
  if ('asked' in elicited) return elicited.asked
  if (!elicited.value) throw missing(uri, x)
  return { contents: elicited.value.map((contents) => encodeContents(contents, x.revision)) }
}

const findForAnyone = ({ catalog }: App, uri: string) => findResource(catalog.resources.all, uri, { sees: () => true })

/** True if some caller may read such a resource, or if it takes too long to find out. */
export const isServedUri = (app: App, uri: string): boolean => findForAnyone(app, uri) !== undefined

/** The server that owns a resource, if its definition names one and it is unambiguous. */
export function serverOfUri(app: App, uri: string): string | undefined {
  const found = findForAnyone(app, uri)
  return found === undefined || found === 'too-costly' || found instanceof SharedUri ? undefined : found.entry.definition.server
}

/** Finds a resource; one that the caller may not read looks like a missing one. */
function lookUp({ app, caller }: RequestContext, uri: string, budget = matchBudget()): ReturnType<typeof findResource> {
  const sees = ({ definition }: ReadyResource | ReadyTemplate) => holdsScopes(caller, definition.scopes ?? [])
  return findResource(app.catalog.resources.all, uri, { sees, budget })
}

/** Throws if there is no such resource. */
function find(x: RequestContext, uri: string): FoundResource {
  const found = lookUp(x, uri)
  if (found === 'too-costly') throw tooCostly()
  if (!found) throw missing(uri, x)
  if (found instanceof SharedUri) {
    const whose = `The servers ${found.servers.join(' and ')} both have this URI or a template for it, so its owner is ambiguous`
    throw new RpcError(codes.invalidParams, `${whose}; it is read from neither`)
  }
  return found
}

const costly = 'Matching URIs of this length against the resource templates of this server takes too long'
const tooCostly = () => new RpcError(codes.invalidParams, `${costly}; use shorter URIs, or fewer of them in one request`)

async function contentsOf({ entry, variables }: FoundResource, uri: string, context: HandlerContext) {
  const read = await (variables ? entry.definition.read(variables, context, uri) : entry.definition.read(context))
  if (read === undefined) return undefined
  if (read instanceof InputRequired) throw new SuspendedWithQuestions(read)
  const contents = asContents(read, uri, entry.definition.mimeType)
  for (const one of contents) {
    checkContents(one)
    if (!entry.definition.foreign) checkContentMetadata(one)
  }
  return contents
}

type Read = Exclude<ReadResult, InputRequired>

function asContents(read: Read, uri: string, mimeType: string | undefined): readonly ResourceContents[] {
  const typed = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (typeof read === 'string') return [{ ...typed, text: read }]
  if (read instanceof Uint8Array) return [{ ...typed, blob: base64(read) }]
  const contents = isList(read) ? read : [read]
  if (contents.length === 0)
    throw new DefinitionError(`Reading ${uri} gave no contents; return undefined from a template when there is no such resource`)
  return contents
}

const isList = (read: ResourceContents | readonly ResourceContents[]): read is readonly ResourceContents[] => Array.isArray(read)

export async function watchResource(x: RequestContext): Promise<JsonObject> {
  const uri = uriIn(x.params)
  const admitting = x.admitReading(find(x, uri).entry)
  if (admitting) await admitting
  const { watched } = x.conversation
  if (!watched.has(uri)) {
    if (watched.size >= mostWatched)
      throw new RpcError(codes.invalidParams, `This session watches ${mostWatched} resources already`)
    checkWatchedCharacters([...watched, uri])
    watched.add(uri)
    x.app.changes.watchChanged()
  }
  await x.conversation.share?.({ watch: uri })
  return {}
}

export async function unwatchResource(x: RequestContext): Promise<JsonObject> {
  await limitReading(x, 'read')
  const uri = uriIn(x.params)
  if (x.conversation.watched.delete(uri)) x.app.changes.watchChanged()
  await x.conversation.share?.({ unwatch: uri })
  return {}
}

/** Those of the URIs whose changes the caller may be notified of. */
export async function watchableUris(x: RequestContext, uris: readonly string[]): Promise<readonly string[]> {
  const budget = matchBudget()
  const found = uris.map((uri) => {
    const one = lookUp(x, uri, budget)
    if (one === 'too-costly') throw tooCostly()
    return one instanceof SharedUri ? undefined : one
  })
  const watchable = await Promise.all(found.map((one) => one && mayRead(x, one)))
  return uris.filter((_, at) => watchable[at])
}

async function mayRead({ app, caller }: RequestContext, { entry }: FoundResource): Promise<boolean> {
  try {
    const end = await app.catalog.admitReading(entry, caller)
    end() // an update names only the URI, which the caller knows
    return true
  } catch (thrown) {
    if (thrown instanceof Refusal) return false
    throw thrown
  }
}

function uriIn({ uri }: JsonObject): string {
  try {
    checkUri(uri)
    return uri
  } catch (cause) {
    throw new RpcError(codes.invalidParams, 'params.uri must be an absolute URI', { cause })
  }
}

const missing = (uri: string, x: RequestContext) =>
  missingEntry(x, { code: x.revision.errors.resourceMissing, message: 'Resource not found', data: { uri } })
