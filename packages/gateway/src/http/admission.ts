// How much of what callers send is held at once. What is beyond that is sent away unread: many large calls together would take all the
// memory there is, and everybody with it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'

/** Arguments are there several times while a call is made: as they came, as they are checked and recorded, and as they go on. */
const timesHeld = 16
/** Small requests are always admitted, because even many of them take little memory. */
const smallBytes = 16 * 1024
/** Of one that does not say how long it is. */
const mostBytes = 4 * 1024 * 1024

/** Tells whether there is room for a request, until its response is over. One has room in any case. */
export function admission(room = getHeapStatistics().heap_size_limit / timesHeld) {
  let held = 0
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const bytes = bytesOf(req)
    if (bytes <= smallBytes) return true
    if (held > 0 && held + bytes > room) return false
    held += bytes
    res.once('close', () => {
      held -= bytes
    })
    return true
  }
}

function bytesOf({ method, headers }: IncomingMessage): number {
  if (method !== 'POST') return 0
  const said = headers['content-length']
  return said === undefined ? mostBytes : Math.min(Number(said), mostBytes)
}
