// A pipelined response gets its connection when its turn comes. If the connection ends before, Node never emits its 'close'.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Responses of each connection that had no turn when their requests came. */
const queued = new WeakMap<Socket, Set<ServerResponse>>()

/** Closes a response together with the connection, also before its turn. */
export function closeWithConnection({ socket }: IncomingMessage, res: ServerResponse): void {
  if (res.socket !== null) return
  // A framework may have taken longer to get here than the connection lasted.
  if (socket.closed) destroyResponse(res)
  const waiting = queued.get(socket) ?? queueOf(socket)
  waiting.add(res)
  res.once('close', () => waiting.delete(res))
}

/** Destroys a response, also one that waits for its turn. */
export function destroyResponse(res: ServerResponse): void {
  const isQueued = res.socket === null && !res.destroyed
  res.destroy()
  if (isQueued) res.emit('close')
}

function queueOf(socket: Socket): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>()
  queued.set(socket, waiting)
  socket.once('close', () => {
    for (const res of waiting) {
      // Node closes the one whose turn it was.
      if (res.socket !== null) continue
      res.destroy()
      res.emit('close')
    }
  })
  return waiting
}
