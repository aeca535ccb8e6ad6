// Limits the memory for concurrent requests. Requests beyond the limit are refused unread, so that they cannot exhaust it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import type { Caller } from 'toolwire'
import type { NodeRequest } from 'toolwire/node'
import { bounds } from 'toolwire/relay'
import { replicaPath, senderHeader } from './replicas/replica-list.js'
import { senderOf } from './sender.js'

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

/**
 * Reserves memory for a request until its response and its work are over; false if there is none left, or if its sender has half of it. The
 * work goes on if the client disconnects, and as a task. A request on its own is always admitted, and so is a task. A verified caller has
 * half of the memory, too, because the caller may send several credentials.
 */
export function memoryReservation(room = getHeapStatistics().heap_size_limit) {
  const requests = bounds.sharedRoom({ each: room / 2, all: room })
  const callers = bounds.sharedRoom({ each: room / 2, all: Number.POSITIVE_INFINITY })
  const tasks = bounds.sharedRoom({ each: room / taskShare / 2, all: room / taskShare })
  return (req: NodeRequest, res: ServerResponse): boolean => {
    const bytes = bytesOf(req)
    if (bytes <= smallBytes) return true
    // A response behind another one of the same connection is not over before that one, even if the request is refused.
    if (res.socket === null) return false
    const memory = memoryFor(bytes)
    const sender = senderIn(req)
    if (!requests.hasRoom(sender, memory)) return false
    let holders = 0
    const frees: (() => void)[] = []
    const hold = (onFree?: () => void) => {
      if (++holders === 1) frees.push(requests.take(sender, memory))
      return () => {
        if (--holders === 0) freeAll()
        onFree?.()
      }
    }
    const freeAll = (): void => {
      for (const free of frees.splice(0)) free()
    }
    const holdForCaller = ({ id, anonymous }: Caller): (() => void) | undefined => {
      const caller = anonymous ? undefined : id
      if (!callers.hasRoom(caller, memory)) {
        // The request is refused, and its body is not read.
        freeAll()
        return undefined
      }
      const release = hold()
      frees.push(callers.take(caller, memory))
      return release
    }
    const holdForWork: NodeRequest['hold'] = (work) => {
      if ('requestOf' in work) return holdForCaller(work.requestOf)
      const { taskOf: caller } = work
      return tasks.hasRoom(caller, memory) ? hold(tasks.take(caller, memory)) : undefined
    }
    res.once('close', hold())
    req.hold = holdForWork
    return true
  }
}

/** Another replica names the sender of the request that it forwards. */
function senderIn({ url, headers, socket }: IncomingMessage): string | undefined {
  const header = (name: string) => headers[name]?.toString()
  return url === replicaPath ? header(senderHeader) : senderOf({ header, remote: socket.remoteAddress })
}

function bytesOf({ method, headers }: IncomingMessage): number {
  if (method !== 'POST') return 0
  const said = headers['content-length']
  return said === undefined ? mostBytes : Math.min(Number(said), mostBytes)
}

const memoryFor = (bytes: number): number =>
  Math.ceil(bytes * copiesPerRequest + Math.min(bytes, denseBytes) * objectBytesPerByte)
