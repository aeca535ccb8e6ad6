import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeContents } from '../../revisions/encode/encode-content.js'
import { InputRequired } from '../../tools/ask.js'
import { checkContentMetadata, checkContents, checkUri } from '../../tools/checks/check-content.js'
import { DefinitionError } from '../../tools/checks/definition-error.js'
import { base64, type ResourceContents } from '../../tools/content.js'
import { Refusal } from '../../tools/refusal.js'
import type { ReadResult } from '../../tools/resource.js'
import { SuspendedWithQuestions } from '../../tools/suspension.js'
import { type FoundResource, findResource, matchBudget, SharedUri } from '../../tools/uris/find-resource.js'
import type { App } from '../app.js'
import type { HandlerContext } from '../calls/handler-context.js'
import { limitReading } from '../lists/list-rate.js'
import type { RequestContext } from '../request-context.js'
import { missingEntry } from './missing-entry.js'
import { readEntry } from './read-entry.js'
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

export function readResource(x: RequestContext): Promise<JsonObject> {
  return readEntry(x, {
    reading: 'read-resource',
    find: () => findAt(x, uriIn(x.params)),
    reader: (found) => (context) => contentsOf(found, context),
    encode(read, { uri }) {
      if (!read) throw missing(uri, x)
      return { contents: read.map((contents) => encodeContents(contents, x.revision)) }
    },
  })
}

const findForAnyone = ({ catalog }: App, uri: string) => findResource(catalog.resources.all, uri, { sees: () => true })

/** True if some caller may read such a resource, or if it takes too long to find out. */
export const isServedUri = (app: App, uri: string): boolean => findForAnyone(app, uri) !== undefined

/** The server that owns a resource, if its definition names one and it is unambiguous. */
export function serverOfUri(app: App, uri: string): string | undefined {
  const found = findForAnyone(app, uri)
  return found === undefined || found === 'too-costly' || found instanceof SharedUri ? undefined : found.entry.definition.server
}

type LookedUp = { readonly uri: string; readonly found: ReturnType<typeof findResource>; readonly isHidden: boolean }
const lookUpBudgets = () => ({ ofSeen: matchBudget(), ofHidden: matchBudget() })

/** Finds a resource; one that the caller may not read looks like a missing one. */
function lookUp({ app, caller }: RequestContext, uri: string, { ofSeen, ofHidden } = lookUpBudgets()): LookedUp {
  const { all } = app.catalog.resources
  const sees = app.catalog.seenBy(caller)
  const found = findResource(all, uri, { sees, budget: ofSeen })
  const findHidden = () => findResource(all, uri, { sees: (entry) => !sees(entry), budget: ofHidden })
  return { uri, found, isHidden: found === undefined && typeof findHidden() === 'object' }
}

type FoundAt = FoundResource & { readonly uri: string }

const findAt = (x: RequestContext, uri: string): FoundAt => theFound(x, lookUp(x, uri))

/** Throws if there is no such resource. */
function theFound(x: RequestContext, { uri, found, isHidden }: LookedUp): FoundAt {
  if (found === 'too-costly') throw tooCostly()
  if (!found) throw missing(uri, x, isHidden)
  if (found instanceof SharedUri) {
    const whose = `The servers ${found.servers.join(' and ')} both have this URI or a template for it, so its owner is ambiguous`
    throw new RpcError(codes.invalidParams, `${whose}; it is read from neither`)
  }
  return { ...found, uri }
}

const costly = 'Matching URIs of this length against the resource templates of this server takes too long'
const tooCostly = () => new RpcError(codes.invalidParams, `${costly}; use shorter URIs, or fewer of them in one request`)

async function contentsOf({ entry, variables, uri }: FoundAt, context: HandlerContext) {
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

export function watchResource(x: RequestContext): Promise<JsonObject> {
  const { params } = x
  return recordRead(x, { reading: 'watch-resource', params, find: () => findAt(x, uriIn(params)) }, (found) => watch(x, found))
}

async function watch(x: RequestContext, { uri, entry }: FoundAt): Promise<JsonObject> {
  const admitting = x.admitReading(entry)
  if (admitting) await admitting
  checkWatchable(entry)
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

function checkWatchable({ definition }: FoundResource['entry']): void {
  if (definition.watchable !== false) return
  const why = 'The changes of this resource are not announced here, so it cannot be subscribed to. Read it again when needed'
  throw new RpcError(codes.invalidParams, why)
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

/** Throws before anything is recorded if the URIs are too many or too long. */
async function lookUpAll(x: RequestContext, uris: readonly string[]): Promise<readonly LookedUp[]> {
  const budgets = lookUpBudgets()
  const rest = yieldWhenBusy()
  const all: LookedUp[] = []
  for (const uri of new Set(uris)) {
    const pause = rest()
    if (pause) await pause
    const one = lookUp(x, uri, budgets)
    if (one.found === 'too-costly') throw tooCostly()
    all.push(one)
  }
  checkWatchedCharacters(all.flatMap(({ uri, found }) => (found ? [uri] : [])))
  return all
}

/** Throws if it cannot be recorded, or for another fault. */
async function grantWatching(x: RequestContext, one: LookedUp): Promise<'granted' | 'refused' | 'rate-limited'> {
  try {
    const find = () => theFound(x, one)
    await recordRead(x, { reading: 'watch-resource', params: { uri: one.uri }, find }, async ({ entry }) => {
      const end = await x.app.catalog.admitReading(entry, x.caller)
      end() // an update names only the URI, which the caller knows
      checkWatchable(entry)
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

const missing = (uri: string, x: RequestContext, isHidden = false) =>
  missingEntry(x, { code: x.revision.errors.resourceMissing, message: 'Resource not found', data: { uri }, isHidden })
