import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { lastPassing } from '../../../bounds/last-passing.js'
import { StoreFailure } from '../../store-failure.js'
import type { Sql } from '../connection.js'
import { entriesAfter, entryAt, type SequencedEntry, type StreamEntry } from './stored-records.js'
import { changingDays } from './stream-end.js'

const pollMs = 300
/** Pause between two reads while this replica writes. */
const busyMs = 20
const pageSize = 200
/** Records of one stream in a page of many. */
const leastPage = 10

/**
 * Positions are assigned before a record is committed, so a record may appear after others with later positions. Longer than an append
 * takes, and than the clocks of replicas differ.
 */
const overlapMs = 10_000

type Place = { readonly stream: string; readonly sequence: number }

/** Lets any number of readers follow all streams. Records of this replica appear at once, those of others soon. */
export function streamFollower(sql: Sql) {
  const news = new EventEmitter().setMaxListeners(0)
  let additions = 0

  const endsIn = (days: string) =>
    sql<Place>(`SELECT s.stream, s.sequence::float8 AS sequence FROM toolwire.audit_streams s WHERE ${days}`)

  const endPlaces = async () => new Map((await endsIn('true')).map(({ stream, sequence }) => [stream, sequence]))

  /** Looks up a place in each stream, because positions grow within a stream but are committed in any order among streams. */
  async function placesAfter(position: number, signal: AbortSignal): Promise<Map<string, number>> {
    const places = await endPlaces()
    const last = await entryAt(sql, position)
    const begin = last ? await overlapBefore(sql, last) : position
    for (const end of await endsAfter(sql, begin)) {
      if (signal.aborted) break
      places.set(end.stream, await placeBefore(sql, end, end.stream === last?.stream ? position : begin))
    }
    return places
  }

  /** Settles when this replica has written records, or when it is time to look for those of others. */
  const newsOrPause = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(over, pollMs)
      news.once('added', over)
      signal.addEventListener('abort', over)
      function over(): void {
        clearTimeout(timer)
        news.off('added', over)
        signal.removeEventListener('abort', over)
        resolve()
      }
    })

  async function* pagesFrom(places: Map<string, number>, signal: AbortSignal): AsyncGenerator<readonly StreamEntry[]> {
    const merged = mergedStreams(sql, places)
    const days = changingDays()
    while (!signal.aborted) {
      // Records may be added while pages are read.
      const seen = additions
      const ends = await unlessGone(() => days.read(endsIn))
      for (let hasMore = ends !== undefined; hasMore && !signal.aborted; ) {
        const next = await unlessGone(() => merged.next(ends ?? []))
        if (next && next.length > 0) yield next
        else hasMore = false
        if (next?.length === 0) days.handled()
      }
      await (additions === seen ? newsOrPause(signal) : pause(busyMs))
    }
  }

  return {
    added(): void {
      additions++
      news.emit('added')
    },
    async *from(position: number, signal: AbortSignal): AsyncGenerator<readonly StreamEntry[]> {
      yield* pagesFrom(await placesAfter(position, signal), signal)
    },
    async fromEnd(signal: AbortSignal) {
      // Read before the places, so that a record between the two comes twice rather than never.
      const end = await lastPosition(sql)
      return { end, pages: pagesFrom(await endPlaces(), signal) }
    },
  }
}

/** Reads a page of each stream and merges them by their positions, so that a reader can continue after any position. */
function mergedStreams(sql: Sql, places: Map<string, number>) {
  const pages = new Map<string, readonly SequencedEntry[]>()

  const isBehind = ({ stream, sequence }: Place) => (places.get(stream) ?? 0) < sequence

  async function pageOf({ stream, sequence }: Place, most: number): Promise<readonly SequencedEntry[]> {
    const rest = pages.get(stream) ?? []
    if (rest.length > 0) return rest
    const page = await entriesAfter(sql, stream, places.get(stream) ?? 0, most)
    places.set(stream, page.at(-1)?.place ?? sequence)
    pages.set(stream, page)
    return page
  }

  return {
    /** The next records of all streams up to these ends; none if all were read. */
    async next(ends: readonly Place[]): Promise<readonly StreamEntry[]> {
      const behind = ends.filter(isBehind)
      const most = Math.max(leastPage, Math.ceil(pageSize / behind.length))
      let until = Infinity
      for (const end of behind) {
        const last = (await pageOf(end, most)).at(-1)
        // Later records of a stream are on its next page.
        if (last && last.place < end.sequence) until = Math.min(until, last.sequence)
      }
      const found: SequencedEntry[] = []
      for (const [stream, page] of pages) {
        const [now, later] = splitAfter(page, until)
        found.push(...now)
        if (later.length > 0) pages.set(stream, later)
        else pages.delete(stream)
      }
      return found.sort((one, other) => one.sequence - other.sequence).map(({ place: _, ...entry }) => entry)
    },
  }
}

function splitAfter(page: readonly SequencedEntry[], until: number) {
  const count = page.findIndex(({ sequence }) => sequence > until)
  return count < 0 ? ([page, []] as const) : ([page.slice(0, count), page.slice(count)] as const)
}

/** The position before all records that were written shortly before this one, by the clocks of their replicas. */
async function overlapBefore(sql: Sql, { sequence, text }: StreamEntry): Promise<number> {
  const { at } = JSON.parse(text) as { at: number | null } // the log has written it
  const [found] = await sql<{ position: number | null }>(
    // The index of positions is read from the end, and not from the beginning: hence the expression.
    `SELECT least(
       (SELECT max(position) FROM toolwire.calls WHERE position < $1 AND at < $2::bigint - $3::bigint),
       (SELECT min(position + 0) - 1 FROM toolwire.calls WHERE position < $1 AND at BETWEEN $2::bigint - $3::bigint AND $2::bigint)
     )::float8 AS position`,
    [sequence, Math.trunc(at ?? 0), overlapMs],
  )
  return found?.position ?? 0
}

/** Returns undefined while the database cannot be reached, because the store reports its own trouble. */
const unlessGone = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((thrown: unknown) => {
    if (thrown instanceof StoreFailure) return undefined
    throw thrown
  })

/** The last position of all records; 0 if there are none. */
async function lastPosition(sql: Sql): Promise<number> {
  const [found] = await sql<{ position: number | null }>(
    `SELECT greatest((SELECT max(position) FROM toolwire.calls), (SELECT max(position) FROM toolwire.call_ends))::float8 AS position`,
  )
  return found?.position ?? 0
}

/** The ends of the streams with records after this position. Most streams are of earlier starts, and have none. */
const endsAfter = (sql: Sql, position: number) =>
  sql<Place>(
    `SELECT s.stream, s.sequence::float8 AS sequence FROM toolwire.audit_streams s
     JOIN toolwire.audit a ON a.stream = s.stream AND a.sequence = s.sequence AND a.day = s.day WHERE a.position > $1`,
    [position],
  )

/** The last record of the stream at or before the position. Dropped records count as before it. */
async function placeBefore(sql: Sql, { stream, sequence }: Place, position: number): Promise<number> {
  const isBefore = async (place: number) => {
    const [found] = await sql<{ position: number }>(
      'SELECT position::float8 AS position FROM toolwire.audit WHERE stream = $1 AND sequence = $2',
      [stream, place],
    )
    return (found?.position ?? 0) <= position
  }
  return (await isBefore(sequence)) ? sequence : lastPassing(0, sequence, isBefore)
}
