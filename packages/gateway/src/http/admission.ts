// Limits the memory for concurrent requests. Requests beyond the limit are refused unread, so that they cannot exhaust it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import type { NodeRequest } from 'toolwire/node'

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
/** The tasks of one caller leave half of that to others. */
const callerShare = 2

/**
 * Reserves memory for a request until its response and its work are over; false if there is none left. The work goes on if the client
 * disconnects, and as a task. A request on its own is always admitted, and so is a task.
 */
export function memoryReservation(room = getHeapStatistics().heap_size_limit) {
  let held = 0
  let heldByTasks = 0
  const tasksOf = new Map<string, number>()
  const taskRoom = room / taskShare
  return (req: NodeRequest, res: ServerResponse): boolean => {
    const bytes = bytesOf(req)
    if (bytes <= smallBytes) return true
    const memory = memoryFor(bytes)
    if (held > 0 && held + memory > room) return false
    let holders = 0
    const hold = (onFree?: () => void) => {
      if (++holders === 1) held += memory
      return () => {
        if (--holders === 0) held -= memory
        onFree?.()
      }
    }
    const holdForWork: NodeRequest['hold'] = (work) => {
      if (work === 'request') return hold()
      const { taskOf: caller } = work
      const own = tasksOf.get(caller) ?? 0
      const isFull = heldByTasks > 0 && heldByTasks + memory > taskRoom
      if (isFull || (own > 0 && own + memory > taskRoom / callerShare)) return undefined
      heldByTasks += memory
      tasksOf.set(caller, own + memory)
      return hold(() => {
        heldByTasks -= memory
        const rest = (tasksOf.get(caller) ?? 0) - memory
        if (rest > 0) tasksOf.set(caller, rest)
        else tasksOf.delete(caller)
      })
    }
    res.once('close', hold())
    req.hold = holdForWork
    return true
  }
}

function bytesOf({ method, headers }: IncomingMessage): number {
  if (method !== 'POST') return 0
  const said = headers['content-length']
  return said === undefined ? mostBytes : Math.min(Number(said), mostBytes)
}

const memoryFor = (bytes: number): number => bytes * copiesPerRequest + Math.min(bytes, denseBytes) * objectBytesPerByte
