// A proxy between the replicas and PostgreSQL that simulates network failures.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** Closes all connections abruptly. */
  cut(): void
  /** Closes new connections at once. */
  refuse(isRefusing: boolean): void
  /** Delays each piece of data. */
  delay(ms: number): void
  close(): Promise<void>
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isRefusing = false
  let delayMs = 0
  const server = createServer((near) => {
    if (isRefusing) return void near.resetAndDestroy()
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.once('close', () => sockets.delete(socket))
    }
    pass(near, far)
    pass(far, near)
  })

  function pass(from: Socket, to: Socket): void {
    const later = (work: () => void) => (delayMs > 0 ? void setTimeout(work, delayMs) : work())
    from.on('data', (chunk) => later(() => to.destroyed || to.write(chunk)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => later(() => to.destroy()))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port')
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: address.port,
    cut,
    refuse(refusing) {
      isRefusing = refusing
    },
    delay(ms) {
      delayMs = ms
    },
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
