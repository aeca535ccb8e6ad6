// A socket for hosts whose own `toolwire up --stdio` found the data directory in use: that process forwards their lines here. The
// socket is in the data directory, so its permissions decide who may connect.
import { createHash } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseJson, type types, wire } from 'toolwire/relay'
import { localCaller } from '../access/local-callers.js'
import { withDeadline } from '../bounds/deadline.js'
import { readFirstLine } from './read-first-line.js'

type LocalSocketOptions = {
  readonly dataDir: string
  /** The config file: a host with another config expects other servers. */
  readonly source: string | undefined
  readonly onNote: (words: string) => void
}

export const socketPathIn = (dataDir: string): string =>
  process.platform === 'win32'
    ? `\\\\.\\pipe\\toolwire-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`
    : join(dataDir, 'toolwire.sock')

/** Longest wait for a host that reads nothing, and for all hosts, when the gateway stops. */
const idleMs = 1_000
const closeMs = 5_000

export class LocalSocket {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #options: LocalSocketOptions

  constructor(app: types.Served, options: LocalSocketOptions) {
    this.#options = options
    // A host that has closed its side still receives the responses.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(app, socket))
  }

  /** A failure is only logged, because the gateway works without the socket. The caller holds the lock on the directory. */
  async open(): Promise<void> {
    const path = socketPathIn(this.#options.dataDir)
    if (process.platform !== 'win32') rmSync(path, { force: true })
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject)
        this.#server.listen(path, resolve)
      })
      if (process.platform !== 'win32') chmodSync(path, 0o600)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      this.#options.onNote(
        `Hosts that start the gateway themselves cannot join this one, because its local socket failed: ${why}`,
      )
    }
  }

  /** The number of connected hosts. */
  get hosts(): number {
    return this.#sockets.size
  }

  /** Lets hosts read their last lines. A host that reads nothing does not hold up the stop. */
  async close(): Promise<void> {
    // Without having listened, the server never reports that it is closed.
    if (!this.#server.listening) return
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const socket of this.#sockets) socket.setTimeout(idleMs, () => socket.destroy()).destroySoon()
    await withDeadline(closeMs, closed, () => {
      for (const socket of this.#sockets) socket.destroy()
    })
  }

  async #serve(app: types.Served, socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket))
    const refusal = this.#refusalOf(await readFirstLine(socket))
    if (refusal !== undefined) return void socket.end(`${JSON.stringify({ refused: refusal })}\n`)
    socket.write(`${JSON.stringify({ pid: process.pid })}\n`)
    const served = wire.serveLines(app, { readable: socket, writable: socket, caller: localCaller })
    socket.resume()
    await served
    socket.end()
  }

  #refusalOf(line: Buffer | undefined): string | undefined {
    const config = configIn(line)
    const { source = null, dataDir } = this.#options
    if (config === undefined) return 'The first line is not from a toolwire host'
    if (config === source) return undefined
    return `The data directory ${dataDir} is in use by a gateway that ${configUse(source)}, and this process ${configUse(config)}. Set --data-dir or toolwire.dataDir for this one`
  }
}

const configUse = (source: string | null): string => (source === null ? 'uses no config' : `uses the config ${source}`)

function configIn(line: Buffer | undefined): string | null | undefined {
  try {
    const said = parseJson(line ?? '')
    const config = typeof said === 'object' && said !== null && 'config' in said ? said.config : undefined
    return typeof config === 'string' || config === null ? config : undefined
  } catch {
    return undefined // not the first line of a host
  }
}
