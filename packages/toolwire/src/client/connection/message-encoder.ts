// Encodes this client's messages in one revision, with `_meta` about the client and headers that repeat parts of the body.
import { encodeJson, type JsonObject } from '../../json.js'
import { encodeNotification } from '../../jsonrpc/message.js'
import type { OutgoingMessage } from '../../peer/client-transport.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import { routingHeaders } from '../../revisions/param-headers/write-headers.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import type { ClientDeclaration } from './client-declaration.js'

type RequestExtras = {
  readonly meta: JsonObject | undefined
  /** The client's capabilities for this request, if they differ from the usual ones. */
  readonly capabilities: ClientCapabilities | undefined
  readonly mirrored: readonly string[] | undefined
  readonly progress: boolean
}

export class MessageEncoder {
  readonly revision: Revision
  /** The `_meta` about this client in every request; empty after a handshake. */
  readonly #usual: EncodedMeta
  /** The `_meta` of requests with capabilities of their own. */
  readonly #declared = new WeakMap<ClientCapabilities, EncodedMeta>()
  /** The latest immutable `_meta` and its text, because a caller may pass the same one with every call. */
  #latest: { readonly given: JsonObject; readonly standing: EncodedMeta; readonly text: string | undefined } | undefined

  constructor(revision: Revision, introduction: ClientDeclaration) {
    this.revision = revision
    this.#usual = encodedMeta(declarationMeta(revision, introduction))
  }

  /** Encodes a request. Its id is also its progress token. */
  request(id: number, method: string, said: RequestExtras & { readonly params: JsonObject | undefined }): OutgoingMessage {
    const { revision } = this
    const { params } = said
    const text = encodeRequest(id, method, withoutMeta(params), this.#metaTextFor(id, params, said))
    return revision.http.mirrored
      ? { text, id, method, revision, mirrored: headersOf(method, params, said.mirrored) }
      : { text, id, method, revision }
  }

  notification(method: string, params: JsonObject | undefined): OutgoingMessage {
    const { revision } = this
    const { meta: standing } = this.#usual
    const said = standing ? { ...params, _meta: { ...metaOf(params), ...standing } } : params
    const text = encodeNotification(method, said)
    return { text, method, revision, ...(revision.http.mirrored && { mirrored: routingHeaders(method, params) }) }
  }

  /** Most requests have no `_meta` of their own, so they reuse the text of the usual one. */
  #metaTextFor(id: number, params: JsonObject | undefined, extras: RequestExtras): string | undefined {
    const { meta: given, capabilities, progress } = extras
    const own = metaOf(params)
    const standing = this.#standing(capabilities)
    const token = progress ? `{"progressToken":${id}}` : undefined
    if (!given && !own) return joinObjects(standing.text, token)
    const latest = this.#latest
    if (latest && !own && latest.given === given && latest.standing === standing) return joinObjects(latest.text, token)
    const said = own ? { ...own, ...given } : { ...given }
    const isOurs = (key: string) => (standing.meta && key in standing.meta) || key === 'progressToken'
    if (Object.keys(said).some(isOurs)) return encodeJson({ ...said, ...standing.meta, ...(progress && { progressToken: id }) })
    const text = joinObjects(standing.text, encodeJson(said))
    if (given && !own && isImmutable(given)) this.#latest = { given, standing, text }
    return joinObjects(text, token)
  }

  #standing(capabilities: ClientCapabilities | undefined): EncodedMeta {
    if (!capabilities) return this.#usual
    const known = this.#declared.get(capabilities)
    const standing = known ?? encodedMeta({ ...this.#usual.meta, [metaKeys.clientCapabilities]: capabilities })
    if (!known) this.#declared.set(capabilities, standing)
    return standing
  }
}

type EncodedMeta = { readonly meta: JsonObject | undefined; readonly text: string | undefined }

/** Joins the JSON texts of two objects that have no members in common. */
function joinObjects(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || one === '{}') return other ?? one
  return other === undefined || other === '{}' ? one : `${one.slice(0, -1)},${other.slice(1)}`
}

const isImmutable = (said: JsonObject): boolean =>
  Object.isFrozen(said) && Object.values(said).every((value) => typeof value !== 'object' || value === null)

const encodedMeta = (said: JsonObject | undefined): EncodedMeta => ({ meta: said, text: said && encodeJson(said) })

const headersOf = (method: string, params: JsonObject | undefined, mirrored: readonly string[] | undefined): readonly string[] =>
  mirrored ? [...routingHeaders(method, params), ...mirrored] : routingHeaders(method, params)

function withoutMeta(params: JsonObject | undefined): JsonObject | undefined {
  if (!params || !('_meta' in params)) return params
  const { _meta: _, ...rest } = params
  return rest
}

/** The `_meta` about the client in each request; undefined in handshake revisions. */
function declarationMeta(revision: Revision, { clientInfo, capabilities, logLevel }: ClientDeclaration): JsonObject | undefined {
  if (revision.style === 'handshake') return undefined
  return {
    [metaKeys.protocolVersion]: revision.version,
    [metaKeys.clientCapabilities]: capabilities,
    ...(clientInfo && { [metaKeys.clientInfo]: clientInfo }),
    ...(logLevel && { [metaKeys.logLevel]: logLevel }),
  }
}

function encodeRequest(id: number, method: string, params: JsonObject | undefined, metaText: string | undefined): string {
  const start = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`
  if (metaText === undefined) return params === undefined ? `${start}}` : `${start},"params":${encodeJson(params)}}`
  const body = params === undefined ? '{}' : encodeJson(params)
  return `${start},"params":${body.slice(0, -1)}${body.length > 2 ? ',' : ''}"_meta":${metaText}}}`
}
