// Lists, page by page. A page is encoded once for each edition and each set of entries a caller may see, and kept as bytes.

import { BoundedMap } from '../../bounds/bounded-map.js'
import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { Json, JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { Sealer } from '../../peer/application.js'
import type { Revision } from '../../revisions/revision.js'
import type { Caller } from '../../tools/caller.js'
import { EncodedResult } from './encoded-result.js'

const mostKept = 256

/** How one kind of list is made. */
export type ListKind<Ready> = {
  readonly method: string
  readonly member: string
  /** Undefined leaves it out. */
  readonly encode: (entry: Ready, revision: Revision) => JsonObject | undefined
}

export type ListView<Ready> = {
  readonly entries: readonly Ready[]
  /** Nothing is hidden from this caller. */
  readonly everything: boolean
  /** Whether everybody sees the same, so that a copy may be kept for all. */
  readonly shared: () => boolean
  readonly revision: Revision
  readonly cursor: Json | undefined
  /** Whose cursors these are. */
  readonly caller: Caller
}

type Finish = (result: JsonObject, method: string, options: { shared: boolean; revision: Revision }) => JsonObject

/** What all lists of a server have in common. */
export type ListRules = { readonly sealer: Sealer; readonly pageSize: number; readonly finish: Finish }

export class ListPages<Ready extends { readonly name: string }> {
  readonly #kind: ListKind<Ready>
  readonly #sealer: Sealer
  readonly #pageSize: number
  readonly #finish: Finish
  #pages = new BoundedMap<string, EncodedResult>(mostKept)
  readonly #editions = new Map<Revision, number>()

  constructor(kind: ListKind<Ready>, { sealer, pageSize, finish }: ListRules) {
    this.#kind = kind
    this.#sealer = sealer
    this.#pageSize = pageSize
    this.#finish = finish
  }

  /** Something has changed, so nothing that was prepared holds any more. */
  forget(): void {
    // What is being prepared right now is kept among those.
    this.#pages = new BoundedMap(mostKept)
  }

  page(view: ListView<Ready>): EncodedResult | Promise<EncodedResult> {
    const known = view.cursor === undefined ? this.#pages.get(this.#key(view, 0)) : undefined
    return known ?? this.#find(view)
  }

  async #find(view: ListView<Ready>): Promise<EncodedResult> {
    const pages = this.#pages
    const start = await this.#start(view)
    const key = this.#key(view, start)
    const known = pages.get(key)
    if (known) return known
    const page = await this.#prepare(view, start)
    pages.set(key, page)
    return page
  }

  async #prepare(view: ListView<Ready>, start: number): Promise<EncodedResult> {
    const { entries, revision } = view
    const shown = entries.slice(start, start + this.#pageSize)
    const rest = start + shown.length < entries.length
    const nextCursor = rest
      ? await this.#sealer.seal(this.#purpose(view), { after: shown.at(-1)?.name, at: start + shown.length })
      : revision.lastCursor
    const members = {
      [this.#kind.member]: await this.#encoded(shown, revision),
      ...(nextCursor !== undefined && { nextCursor }),
    }
    // A cursor in a copy for everybody would reach callers who cannot use it.
    const shared = !this.#hasPages(view) && view.shared()
    return new EncodedResult(JSON.stringify(this.#finish(members, this.#kind.method, { shared, revision })))
  }

  /** Others get their turn meanwhile. */
  async #encoded(entries: readonly Ready[], revision: Revision): Promise<JsonObject[]> {
    const encoded: JsonObject[] = []
    const rest = yieldWhenBusy()
    for (const entry of entries) {
      const one = this.#kind.encode(entry, revision)
      if (one) encoded.push(one)
      const pause = rest()
      if (pause) await pause
    }
    return encoded
  }

  /** Where a cursor points in the list as it is now: behind the entry it named, or where that entry stood. */
  async #start(view: ListView<Ready>): Promise<number> {
    const { cursor, entries, revision } = view
    if (cursor === undefined || (cursor === '' && revision.lastCursor === '')) return 0
    // What opens was sealed in #prepare.
    const opened = (await openCursor(this.#sealer, this.#purpose(view), cursor)) as { after: string; at: number }
    const last = entries.findIndex((entry) => entry.name === opened.after)
    return last >= 0 ? last + 1 : Math.min(opened.at, entries.length)
  }

  /** A cursor is valid only for the caller that received it. */
  #purpose({ caller }: ListView<Ready>): string {
    return `cursor:${this.#kind.method}:${caller.id}`
  }

  #hasPages({ entries }: ListView<Ready>): boolean {
    return entries.length > this.#pageSize
  }

  #key(view: ListView<Ready>, start: number): string {
    const { entries, everything, revision, caller } = view
    const number = this.#editions.get(revision) ?? this.#editions.size
    this.#editions.set(revision, number)
    const owner = this.#hasPages(view) ? caller.id : ''
    return `${number} ${start} ${everything ? '' : entries.map((entry) => entry.name).join('\n')}\n${owner}`
  }
}

/** No cursor of ours is longer, so nothing longer is worth opening. */
const longestCursor = 8_192

/** What a cursor was made of; throws when it was not given for that purpose. */
export async function openCursor(sealer: Sealer, purpose: string, cursor: Json | undefined): Promise<unknown> {
  const opened = typeof cursor === 'string' && cursor.length <= longestCursor ? await sealer.open(purpose, cursor) : undefined
  if (opened === undefined)
    throw new RpcError(codes.invalidParams, 'params.cursor is not one that this list gave; start again without it')
  return opened
}
