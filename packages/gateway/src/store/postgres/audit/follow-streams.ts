import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreFailure } from '../../store-failure.js'
import type { Sql } from '../connection.js'
import { entriesAfter, type StreamEntry } from './stored-records.js'

const pollMs = 300
/** Pause between two reads while this replica writes. */
const busyMs = 20
const pageSize = 200

type Place = { readonly stream: string; readonly sequence: number }

/** Lets any number of readers follow all streams. Records of this replica appear at once, those of others soon. */
export function streamFollower(sql: Sql) {
  const news = new EventEmitter().setMaxListeners(0)
  let additions = 0

  const ends = () => sql<Place>('SELECT stream, sequence::float8 AS sequence FROM toolwire.audit_streams ORDER BY at')

  /** Looks up a place in each stream, because positions grow within a stream but are committed in any order among streams. */
  async function placesAfter(position: number | undefined): Promise<Map<string, number>> {
    const places = new Map<string, number>()
    for (const { stream, sequence } of await ends())
      places.set(stream, position === undefined ? sequence : await placeBefore(sql, { stream, sequence }, position))
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

  return {
    added(): void {
      additions++
      news.emit('added')
    },
    async *from(position: number | undefined, signal: AbortSignal): AsyncGenerator<readonly StreamEntry[]> {
      const places = await placesAfter(position)
      const placeIn = (stream: string) => places.get(stream) ?? 0
      while (!signal.aborted) {
        // Records may be added while pages are read.
        const seen = additions
        for (const { stream, sequence } of (await unlessGone(ends)) ?? [])
          while (placeIn(stream) < sequence && !signal.aborted) {
            const page = await unlessGone(() => entriesAfter(sql, stream, placeIn(stream), pageSize))
            if (!page) break
            places.set(stream, page.at(-1)?.place ?? sequence)
            if (page.length > 0) yield page.map(({ place: _, ...entry }) => entry)
          }
        await (additions === seen ? newsOrPause(signal) : pause(busyMs))
      }
    },
  }
}

/** Returns undefined while the database cannot be reached, because the store reports its own trouble. */
const unlessGone = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((thrown: unknown) => {
    if (thrown instanceof StoreFailure) return undefined
    throw thrown
  })

/** The last record of the stream at or before the position. Dropped records count as before it. */
async function placeBefore(sql: Sql, { stream, sequence }: Place, position: number): Promise<number> {
  const isBefore = async (place: number) => {
    const [found] = await sql<{ position: number }>(
      'SELECT position::float8 AS position FROM toolwire.audit WHERE stream = $1 AND sequence = $2',
      [stream, place],
    )
    return (found?.position ?? 0) <= position
  }
  if (await isBefore(sequence)) return sequence
  let [before, after] = [0, sequence]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (await isBefore(middle)) before = middle
    else after = middle
  }
  return before
}
