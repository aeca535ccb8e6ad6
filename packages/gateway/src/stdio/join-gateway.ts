// A host's process beside the gateway that has the data directory already: the way to that one's side door.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { socketPathIn } from './local-socket.js'
import { readFirstLine } from './read-first-line.js'

type JoinOptions = {
  readonly dataDir: string
  readonly source: string | undefined
  /** How long to look out for a gateway that may be starting. */
  readonly waitMs?: number
}

const againMs = 250

/** A way to the gateway, for lines, and the process that it is. Throws when it has another config; undefined when there is none. */
export async function joinGateway({ dataDir, source, waitMs = 10_000 }: JoinOptions) {
  const socket = await reached(socketPathIn(dataDir), performance.now() + waitMs)
  if (!socket) return undefined
  socket.write(`${JSON.stringify({ config: source ?? null })}\n`)
  const line = await readFirstLine(socket)
  // Our own words, from the socket of the gateway.
  const { pid, refused } = JSON.parse(line ?? '{}') as { readonly pid?: number; readonly refused?: string }
  if (refused !== undefined) throw new Error(refused)
  return pid === undefined ? void socket.destroy() : { pid, socket }
}

async function reached(path: string, until: number): Promise<Socket | undefined> {
  for (;;) {
    const socket = connect({ path, allowHalfOpen: true })
    try {
      await once(socket, 'connect')
      socket.on('error', () => socket.destroy())
      return socket
    } catch {
      // Nobody is there, or not yet.
      if (performance.now() >= until) return undefined
    }
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}
