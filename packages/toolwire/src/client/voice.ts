// How this client speaks in one revision: what each message says about its sender, inside the body and beside it.
import { encodeJson, type JsonObject } from '../json.js'
import { encodeNotification } from '../jsonrpc/message.js'
import type { Outgoing } from '../peer/link.js'
import { metaOf } from '../revisions/meta.js'
import { mirror } from '../revisions/mirror.js'
import type { Revision } from '../revisions/revision.js'
import { encodeCall, type Introduction, standingMeta } from './encode.js'

/** What a request carries besides its parameters. */
type Besides = { readonly meta?: JsonObject; readonly mirrored?: readonly string[]; readonly progress: boolean }

export class Voice {
  readonly revision: Revision
  /** What every request repeats about this client, and its text; nothing where a handshake has said it. */
  readonly #meta: JsonObject | undefined
  readonly #metaText: string | undefined

  constructor(revision: Revision, introduction: Introduction) {
    this.revision = revision
    this.#meta = standingMeta(revision, introduction)
    this.#metaText = this.#meta && encodeJson(this.#meta)
  }

  /** A request; its id is also the token of its progress. */
  request(id: number, method: string, { params, ...besides }: Besides & { readonly params: JsonObject | undefined }): Outgoing {
    const { revision } = this
    const text = encodeCall(id, method, withoutMeta(params), this.#metaTextFor(id, params, besides))
    return revision.http.mirrored
      ? { text, id, method, revision, mirrored: headersOf(method, params, besides.mirrored) }
      : { text, id, method, revision }
  }

  notification(method: string, params: JsonObject | undefined): Outgoing {
    const { revision } = this
    const said = this.#meta ? { ...params, _meta: { ...metaOf(params), ...this.#meta } } : params
    const text = encodeNotification(method, said)
    return revision.http.mirrored ? { text, method, revision, mirrored: mirror(method, params) } : { text, method, revision }
  }

  /** Most requests say nothing of their own in `_meta`, so the text of what they all say is used as it is. */
  #metaTextFor(id: number, params: JsonObject | undefined, { meta, progress }: Besides): string | undefined {
    const own = metaOf(params)
    if (!progress && !meta && !own) return this.#metaText
    return encodeJson({ ...own, ...meta, ...this.#meta, ...(progress && { progressToken: id }) })
  }
}

const headersOf = (method: string, params: JsonObject | undefined, mirrored: readonly string[] | undefined): readonly string[] =>
  mirrored ? [...mirror(method, params), ...mirrored] : mirror(method, params)

function withoutMeta(params: JsonObject | undefined): JsonObject | undefined {
  if (!params || !('_meta' in params)) return params
  const { _meta: _, ...rest } = params
  return rest
}
