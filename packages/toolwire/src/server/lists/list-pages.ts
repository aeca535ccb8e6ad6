// Lists, page by page. A page is encoded once for each revision and each set of entries a caller may see, and kept as bytes.

import { BoundedMap } from '../../bounds/bounded-map.js'
import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { Json, JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { Sealer } from '../../peer/application.js'
import type { Revision } from '../../revisions/revision.js'
import type { RequestContext } from '../request-context.js'

const encoder = new TextEncoder()
const closing = encoder.encode('}')

/** A result that is encoded in advance. */
export class EncodedResult {
  readonly #bytes: Uint8Array

  constructor(json: string) {
    this.#bytes = encoder.encode(json)
  }

  /** The response with this result, in pieces, so that the bytes need not be copied. */
  body(id: string): readonly Uint8Array[] {
    return [encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":`), this.#bytes, closing]
  }
}

const mostKept = 256

export type ListKind<Ready> = {
  readonly method: string
  readonly member: string
  /** Encodes an entry; undefined leaves it out. */
  readonly encode: (entry: Ready, revision: Revision) => JsonObject | undefined
}

export type ListView<Ready> = {
  readonly entries: readonly Ready[]
  /** Nothing is hidden from this caller. */
  readonly everything: boolean
  /** True if all callers see the same entries, so that one copy may serve them all. */
  readonly shared: () => boolean
}

export type ListRules = {
  readonly sealer: Sealer
  readonly pageSize: number
  /** Bytes of a page, above which it has fewer entries. */
  readonly resultBytes: () => number
  readonly finish: (result: JsonObject, method: string, about: { shared: boolean; revision: Revision }) => JsonObject
}

/** Room for the rest of an answer. */
const envelopeBytes = 4_096

export class ListPages<Ready extends { readonly name: string }> {
  readonly #kind: ListKind<Ready>
  readonly #rules: ListRules
  #pages = new BoundedMap<string, EncodedResult>(mostKept)
  readonly #numbers = new Map<Revision, number>()
  /** A page has had fewer entries than its size allows, so even a short list may have cursors. */
  #isCut = false

  constructor(kind: ListKind<Ready>, rules: ListRules) {
    this.#kind = kind
    this.#rules = rules
  }

  forget(): void {
    // Pages that are being prepared go into the old map, so they are not kept.
    this.#pages = new BoundedMap(mostKept)
    this.#isCut = false
  }

  page(x: RequestContext, view: ListView<Ready>): EncodedResult | Promise<EncodedResult> {
    const known = x.params.cursor === undefined ? this.#pages.get(this.#key(x, view, 0)) : undefined
    return known ?? this.#find(x, view)
  }

  async #find(x: RequestContext, view: ListView<Ready>): Promise<EncodedResult> {
    const pages = this.#pages
    const start = await this.#start(x, view)
    const known = pages.get(this.#key(x, view, start))
    if (known) return known
    const page = await this.#prepare(x, view, start)
    pages.set(this.#key(x, view, start), page)
    return page
  }

  async #prepare(x: RequestContext, view: ListView<Ready>, start: number): Promise<EncodedResult> {
    const { entries } = view
    const { revision } = x
    const { sealer, finish } = this.#rules
    const { encoded, count } = await this.#encoded(entries.slice(start, start + this.#rules.pageSize), revision)
    const at = start + count
    const last = { after: entries[at - 1]?.name, at }
    if (count < Math.min(entries.length - start, this.#rules.pageSize)) this.#isCut = true
    const nextCursor = at < entries.length ? await sealer.seal(this.#purpose(x), last) : revision.lastCursor
    const members = { [this.#kind.member]: encoded, ...(nextCursor !== undefined && { nextCursor }) }
    // A cursor in a copy for everybody would reach callers who cannot use it.
    const shared = count === entries.length && view.shared()
    return new EncodedResult(JSON.stringify(finish(members, this.#kind.method, { shared, revision })))
  }

  /** Encodes as many entries as one result may have, at least one, and yields to other work meanwhile. */
  async #encoded(entries: readonly Ready[], revision: Revision): Promise<{ encoded: readonly JsonObject[]; count: number }> {
    const most = this.#rules.resultBytes()
    const room = most - Math.min(envelopeBytes, most / 2)
    const encoded: JsonObject[] = []
    let bytes = 0
    const rest = yieldWhenBusy()
    for (const [count, entry] of entries.entries()) {
      const one = this.#kind.encode(entry, revision)
      if (one) {
        bytes += encoder.encode(JSON.stringify(one)).length + 1
        if (bytes > room && encoded.length > 0) return { encoded, count }
        encoded.push(one)
      }
      const pause = rest()
      if (pause) await pause
    }
    return { encoded, count: entries.length }
  }

  /** The start of a cursor's page in the current list: after the entry that it names, or at its old position if that is gone. */
  async #start(x: RequestContext, { entries }: ListView<Ready>): Promise<number> {
    const { cursor } = x.params
    if (cursor === undefined || (cursor === '' && x.revision.lastCursor === '')) return 0
    // A cursor that opens was sealed in #prepare.
    const opened = (await openCursor(this.#rules.sealer, this.#purpose(x), cursor)) as { after: string; at: number }
    const last = entries.findIndex((entry) => entry.name === opened.after)
    return last >= 0 ? last + 1 : Math.min(opened.at, entries.length)
  }

  /** A cursor is valid only for the caller that received it. */
  #purpose({ caller }: RequestContext): string {
    return `cursor:${this.#kind.method}:${caller.id}`
  }

  #key({ revision, caller }: RequestContext, { entries, everything }: ListView<Ready>, start: number): string {
    const number = this.#numbers.get(revision) ?? this.#numbers.size
    this.#numbers.set(revision, number)
    const owner = this.#isCut || entries.length > this.#rules.pageSize ? caller.id : ''
    // The names are JSON, because they may hold any separator.
    return `${number} ${start} ${everything ? '*' : JSON.stringify(entries.map((entry) => entry.name))} ${owner}`
  }
}

/** No cursor of this server is longer, so a longer one is refused unopened. */
const longestCursor = 8_192

/** The contents of a cursor; throws if it was not made for that purpose. */
export async function openCursor(sealer: Sealer, purpose: string, cursor: Json | undefined): Promise<unknown> {
  const opened = typeof cursor === 'string' && cursor.length <= longestCursor ? await sealer.open(purpose, cursor) : undefined
  if (opened === undefined)
    throw new RpcError(codes.invalidParams, 'params.cursor was not issued for this list; start again without a cursor')
  return opened
}
