// Limits the memory of calls that wait for approval. Their requests may be over: a client that disconnects does not end its call.
import { getHeapStatistics } from 'node:v8'
import { bounds } from 'toolwire/relay'

/** Characters of waiting arguments that the heap has room for: parsed, many small objects take up to 25 times their text. */
const heapShare = 32
/** Small calls always wait, so that large ones cannot keep them from waiting. */
const smallCharacters = 16 * 1024

/** Takes room for the arguments of a call, and returns the function that frees it; undefined if there is none left. */
export type WaitingRoom = (caller: string, characters: number) => (() => void) | undefined

export function waitingRoom(room = getHeapStatistics().heap_size_limit / heapShare): WaitingRoom {
  const shared = bounds.sharedRoom({ each: room / 2, all: room })
  return (caller, characters) => {
    if (characters <= smallCharacters) return () => undefined
    return shared.hasRoom(caller, characters) ? shared.take(caller, characters) : undefined
  }
}
