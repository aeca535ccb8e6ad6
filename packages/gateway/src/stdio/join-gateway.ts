// Connects a host's process to the gateway that already has the data directory, over its local socket.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parseJson } from 'toolwire/relay'
import { socketPathIn } from './local-socket.js'
import { readFirstLine } from './read-first-line.js'

type JoinOptions = {
  readonly dataDir: string
  readonly source: string | undefined
  /** Time to wait for a gateway that may be starting. */
  readonly waitMs?: number
}

const retryMs = 250

/** A connection to the gateway, and its process id. Throws if the gateway has another config; undefined if there is no gateway. */
export async function joinGateway({ dataDir, source, waitMs = 10_000 }: JoinOptions) {
  const socket = await connectWhenReady(socketPathIn(dataDir), performance.now() + waitMs)
  if (!socket) return undefined
  socket.write(`${JSON.stringify({ config: source ?? null })}\n`)
  const line = await readFirstLine(socket)
  // The gateway writes this line itself.
  const { pid, refused } = parseJson(line ?? '{}') as { readonly pid?: number; readonly refused?: string }
  if (refused !== undefined) throw new Error(refused)
  return pid === undefined ? void socket.destroy() : { pid, socket }
}

async function connectWhenReady(path: string, until: number): Promise<Socket | undefined> {
  for (;;) {
    const socket = connect({ path, allowHalfOpen: true })
    try {
      await once(socket, 'connect')
      socket.on('error', () => socket.destroy())
      return socket
    } catch {
      // No gateway listens, or not yet.
      if (performance.now() >= until) return undefined
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}
