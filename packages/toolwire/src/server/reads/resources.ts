import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
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
import { recordRead } from './recorded-read.js'

const mostWatched = 1_000
/** Characters of the URIs that a session, or a subscription, watches. */
const mostWatchedCharacters = 1024 * 1024

function checkWatchedCharacters(uris: Iterable<string>): void {
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

const find = (x: RequestContext, uri: string): FoundResource => theFound(x, uri, lookUp(x, uri))

/** Throws if there is no such resource. */
function theFound(x: RequestContext, uri: string, found: ReturnType<typeof findResource>): FoundResource {
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

/** Keeps one subscription from filling the queue of the audit log. */
const mostGrantedAtOnce = 8

/** Those of the URIs whose changes the caller may be notified of. Each is limited and recorded as in `resources/subscribe`. */
export async function grantedUris(x: RequestContext, uris: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await lookUpAll(x, uris)
  const rest = yieldWhenBusy()
  const granted = new Set<string>()
  for (let at = 0; at < found.length && !x.incoming.cancelled; at += mostGrantedAtOnce) {
    const pause = rest()
    if (pause) await pause
    const some = found.slice(at, at + mostGrantedAtOnce)
    const grants = await Promise.all(some.map((one) => grantWatching(x, one)))
    for (const [nth, { uri }] of some.entries()) if (grants[nth] === 'granted') granted.add(uri)
    // All others would be over the limit, too, and each would have a record.
    if (grants.includes('rate-limited')) break
  }
  return granted
}

type LookedUp = { readonly uri: string; readonly found: ReturnType<typeof findResource> }

/** Throws before anything is recorded if the URIs are too many or too long. */
async function lookUpAll(x: RequestContext, uris: readonly string[]): Promise<readonly LookedUp[]> {
  const budget = matchBudget()
  const rest = yieldWhenBusy()
  const all: LookedUp[] = []
  for (const uri of new Set(uris)) {
    const pause = rest()
    if (pause) await pause
    const found = lookUp(x, uri, budget)
    if (found === 'too-costly') throw tooCostly()
    all.push({ uri, found })
  }
  checkWatchedCharacters(all.flatMap(({ uri, found }) => (found ? [uri] : [])))
  return all
}

/** Throws if it cannot be recorded, or for another fault. */
async function grantWatching(x: RequestContext, { uri, found }: LookedUp): Promise<'granted' | 'refused' | 'rate-limited'> {
  try {
    await recordRead(x, { reading: 'watch-resource', params: { uri } }, async () => {
      const end = await x.app.catalog.admitReading(theFound(x, uri, found).entry, x.caller)
      end() // an update names only the URI, which the caller knows
      return {}
    })
    return 'granted'
  } catch (thrown) {
    if (thrown instanceof RpcError) return 'refused'
    if (!(thrown instanceof Refusal) || thrown.reason === 'unrecorded') throw thrown
    return thrown.reason === 'rate-limited' ? 'rate-limited' : 'refused'
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
