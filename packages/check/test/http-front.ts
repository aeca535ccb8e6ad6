// A proxy that reads the raw first bytes of a request, because the HTTP server of Node would normalize them.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const refusal = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

export async function frontOf(behind: number, refuses: (head: string) => boolean) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
    socket.once('data', (first) => {
      if (refuses(first.toString('latin1'))) socket.end(refusal)
      else passOn(socket, first, behind)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has a port
  const close = () => {
    for (const socket of open) socket.destroy()
    server.close()
  }
  return { port, close }
}

function passOn(socket: Socket, first: Buffer, port: number): void {
  const further = connect(port, '127.0.0.1')
  further.on('error', () => socket.destroy())
  further.write(first)
  socket.pipe(further).pipe(socket)
}
