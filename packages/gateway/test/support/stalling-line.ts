import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy that relays bytes until it stalls, with its connections still open. */
export async function stallingLine(target: number) {
  const sockets = new Set<Socket>()
  let isStalled = false
  const proxy = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from) && to.destroy())
      from.on('data', (bytes) => to.write(bytes))
      if (isStalled) from.pause()
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo // it listens on a port
  return {
    port,
    stall(): void {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    goOn(): void {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
  }
}
