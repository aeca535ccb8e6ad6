// Limits the memory for concurrent requests. Requests beyond the limit are refused unread, so that they cannot exhaust it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import type { NodeRequest } from 'toolwire/node'
import { replicaPath } from './replicas/replica-list.js'

/** A request is held in several forms during a call: as received, as validated and recorded, and as forwarded. */
const copiesPerRequest = 16
/** A message has at most 100,000 objects. The shortest one is three bytes of text, and takes about 64 bytes once it is parsed. */
const denseBytes = 300_000
const objectBytesPerByte = 64 / 3
/** Small requests are always admitted, because even many of them take little memory. */
const smallBytes = 16 * 1024
/** Assumed for a request without a content length. */
const mostBytes = 4 * 1024 * 1024
/** Tasks may go on for a day, so they leave most of the room to others. */
const taskShare = 4
/** One caller leaves half of the room to others. */
const callerShare = 2

/**
 * Reserves memory for a request until its response and its work are over; false if there is none left. The work goes on if the client
 * disconnects, and as a task. A request on its own is always admitted, and so is a task.
 */
export function memoryReservation(room = getHeapStatistics().heap_size_limit) {
  const requests = sharedRoom(room)
  const tasks = sharedRoom(room / taskShare)
  return (req: NodeRequest, res: ServerResponse): boolean => {
    const bytes = bytesOf(req)
    if (bytes <= smallBytes) return true
    const memory = memoryFor(bytes)
    const sender = senderOf(req)
    if (!requests.isFree(sender, memory)) return false
    let holders = 0
    const hold = (onFree?: () => void) => {
      if (++holders === 1) requests.add(sender, memory)
      return () => {
        if (--holders === 0) requests.add(sender, -memory)
        onFree?.()
      }
    }
    const holdForWork: NodeRequest['hold'] = (work) => {
      if (work === 'request') return hold()
      const { taskOf: caller } = work
      if (!tasks.isFree(caller, memory)) return undefined
      tasks.add(caller, memory)
      return hold(() => tasks.add(caller, -memory))
    }
    res.once('close', hold())
    req.hold = holdForWork
    return true
  }
}

function sharedRoom(room: number) {
  let held = 0
  const heldBy = new Map<string, number>()
  const heldOf = (caller: string | undefined) => (caller === undefined ? 0 : (heldBy.get(caller) ?? 0))
  return {
    isFree(caller: string | undefined, memory: number): boolean {
      const own = heldOf(caller)
      return (held === 0 || held + memory <= room) && (own === 0 || own + memory <= room / callerShare)
    },
    add(caller: string | undefined, memory: number): void {
      held += memory
      if (caller === undefined) return
      const own = heldOf(caller) + memory
      if (own > 0) heldBy.set(caller, own)
      else heldBy.delete(caller)
    },
  }
}

/** The caller is not known yet, so its credential, or else its address, stands for it; undefined for another replica. */
function senderOf({ url, headers, socket }: IncomingMessage): string | undefined {
  if (url === replicaPath) return undefined
  return headers.authorization ?? headers['x-api-key']?.toString() ?? socket.remoteAddress
}

function bytesOf({ method, headers }: IncomingMessage): number {
  if (method !== 'POST') return 0
  const said = headers['content-length']
  return said === undefined ? mostBytes : Math.min(Number(said), mostBytes)
}

const memoryFor = (bytes: number): number => bytes * copiesPerRequest + Math.min(bytes, denseBytes) * objectBytesPerByte
