import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { busy } from './fair-queue.js'

export type CountedPlace = { readonly key: string; readonly most: number }

/** Counts the concurrent calls of all replicas. */
export type SharedTurns = {
  /** Takes a place in each count if all have room, and returns a function to leave. A place that is never left is freed in time. */
  enter(places: readonly CountedPlace[]): (() => void) | undefined | Promise<(() => void) | undefined>
}

const firstPauseMs = 20
const longestPauseMs = 250

/** Waits for a place among all replicas. While they cannot be counted, only the limits of this process hold. */
export async function takeSharedPlaces(
  turns: SharedTurns,
  places: readonly CountedPlace[],
  { signal, waitMs }: { readonly signal: AbortSignal; readonly waitMs: number },
): Promise<() => void> {
  const start = performance.now()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const leave = await tryTakePlaces(turns, places)
    if (leave && signal.aborted) leave()
    signal.throwIfAborted()
    if (leave) return leave
    if (performance.now() - start >= waitMs) throw busy(`this request waited ${waitMs} ms for its turn among all replicas`)
    await Promise.race([new Promise((resolve) => setTimeout(resolve, pauseMs)), rejectOnAbort(signal)])
  }
}

async function tryTakePlaces(turns: SharedTurns, places: readonly CountedPlace[]): Promise<(() => void) | undefined> {
  try {
    return await turns.enter(places)
  } catch {
    // The limits of this process still hold.
    return () => undefined
  }
}
