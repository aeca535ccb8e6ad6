// Limits the memory of calls that wait for approval. Their requests may be over: a client that disconnects does not end its call.
import { getHeapStatistics } from 'node:v8'

/** Characters of waiting arguments that the heap has room for: parsed, many small objects take up to 25 times their text. */
const heapShare = 32
/** Small calls always wait, so that large ones cannot keep them from waiting. */
const smallCharacters = 16 * 1024

/** Takes room for the arguments of a call, and returns the function that frees it; undefined if there is none left. */
export type WaitingRoom = (characters: number) => (() => void) | undefined

/** A call on its own always has room. */
export function waitingRoom(room = getHeapStatistics().heap_size_limit / heapShare): WaitingRoom {
  let held = 0
  return (characters) => {
    if (characters <= smallCharacters) return () => undefined
    if (held > 0 && held + characters > room) return undefined
    held += characters
    return () => {
      held -= characters
    }
  }
}
