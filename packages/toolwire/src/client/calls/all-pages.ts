// Reads lists page by page. spec 2026-07-28, server/utilities/pagination
import { memoryEstimate } from '../../bounds/memory-estimate.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { ListOptions } from '../client.js'
import { CallFailure, SessionEnded } from '../errors.js'
import type { CachedReadOptions, CachingReader } from './caching-reader.js'

type ListMethod = { readonly method: string; readonly member: string }
type PageOptions = ListOptions & { readonly onPage?: (page: JsonObject) => void }
/** Limit on the total size of a list, in multiples of `limits.messageBytes`. */
const mostMessages = 2
/** Longest cursor, in characters. Cursors are kept and sent back, so long ones could cost more than the list itself. */
const longestCursor = 64 * 1024

/** Returns every item of every page, in order. If a cursor becomes invalid on the way, the list is read again from the start, once. */
export async function allPages(listing: ListMethod, reader: CachingReader, options: PageOptions = {}): Promise<JsonObject[]> {
  try {
    return await readPages(listing, reader, options)
  } catch (thrown) {
    if (!(thrown instanceof StaleCursor)) throw thrown
    return readPages(listing, reader, { ...options, fresh: true }).catch((again) => {
      throw again instanceof StaleCursor ? again.cause : again
    })
  }
}

class StaleCursor extends Error {}

async function readPages(listing: ListMethod, reader: CachingReader, given: PageOptions): Promise<JsonObject[]> {
  const { onPage, ...options } = given
  const { connection } = reader
  const { limits } = connection
  const { emptyCursor } = connection.revision
  const items: JsonObject[] = []
  const cursors = new Set<string>()
  const { totalMs = limits.totalMs } = options
  const until = performance.now() + totalMs
  let size = 0
  let cursor: string | undefined
  let within: number | undefined
  do {
    const page = await pageAt(listing, cursor, reader, { ...options, sessionNumber: within })
    within = connection.sessionNumber
    onPage?.(page)
    items.push(...itemsIn(page, listing))
    cursor = nextCursor(page, emptyCursor)
    if (items.length > limits.items) throw tooLong(listing, `more than ${limits.items} items (limits.items)`)
    if (cursor === undefined) return items
    size += memoryEstimate(page)
    if (size > mostMessages * limits.messageBytes)
      throw tooLong(listing, `a size of more than ${mostMessages * limits.messageBytes} (twice limits.messageBytes)`)
    if (cursors.has(cursor)) throw tooLong(listing, 'a repeated cursor, so the list would never end')
    cursors.add(cursor)
    if (cursors.size >= limits.pages) throw tooLong(listing, `more than ${limits.pages} pages (limits.pages)`)
  } while (performance.now() < until)
  throw new CallFailure('timed_out', `${listing.method} was not complete within ${totalMs} ms (totalMs)`)
}

async function pageAt({ method }: ListMethod, cursor: string | undefined, reader: CachingReader, options: CachedReadOptions) {
  try {
    return await reader.read(method, cursor === undefined ? undefined : { cursor }, options)
  } catch (thrown) {
    if (cursor !== undefined && isStale(thrown)) throw new StaleCursor('stale', { cause: thrown })
    throw thrown
  }
}

/** The cursor was refused, or its session is over. spec 2025-06-18, server/utilities/pagination */
const isStale = (thrown: unknown): boolean =>
  thrown instanceof SessionEnded || (thrown instanceof RpcError && thrown.code === codes.invalidParams)

function itemsIn(page: JsonObject, { method, member }: ListMethod): JsonObject[] {
  const items = page[member]
  if (!Array.isArray(items)) throw new CallFailure('bad_response', `The result of ${method} contains no list of ${member}`)
  return items.filter((item) => isObject(item))
}

function nextCursor({ nextCursor: next }: JsonObject, empty: 'ends' | 'continues'): string | undefined {
  if (next === undefined || next === null || (next === '' && empty === 'ends')) return undefined
  if (typeof next === 'string' && next.length > longestCursor)
    throw new CallFailure('limit', `A cursor is longer than ${longestCursor} characters`)
  if (typeof next === 'string') return next
  throw new CallFailure('bad_response', `A cursor must be a string, but the server sent ${kindOf(next)}`)
}

const kindOf = (value: Json): string => (Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`)

const tooLong = ({ method }: ListMethod, what: string): CallFailure =>
  new CallFailure('limit', `${method} was abandoned, because the list has ${what}`)
