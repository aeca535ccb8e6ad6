// Limits the memory for concurrent requests. Requests beyond the limit are refused unread, so that they cannot exhaust it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'

/** A request is held in several forms during a call: as received, as validated and recorded, and as forwarded. */
const copiesPerRequest = 16
/** Small requests are always admitted, because even many of them take little memory. */
const smallBytes = 16 * 1024
/** Assumed for a request without a content length. */
const mostBytes = 4 * 1024 * 1024

/** Reserves memory for a request until its response is over; false if there is none left. A request on its own is always admitted. */
export function memoryReservation(room = getHeapStatistics().heap_size_limit / copiesPerRequest) {
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
