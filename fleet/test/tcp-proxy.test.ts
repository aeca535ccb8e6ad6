import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../src/cluster/tcp-proxy.js'

/** An echo server behind a proxy. */
async function echoBehindProxy(): Promise<TcpProxy> {
  const server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await startTcpProxy((server.address() as AddressInfo).port) // it listens on TCP
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return proxy
}

function connecting({ port }: TcpProxy): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

async function connectedTo(proxy: TcpProxy): Promise<Socket> {
  const socket = connecting(proxy)
  await once(socket, 'connect')
  return socket
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

async function echoOf(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [chunk] = await once(socket, 'data')
  return String(chunk)
}

it('forwards data until the connection is cut', async () => {
  const proxy = await echoBehindProxy()
  const socket = await connectedTo(proxy)
  expect(await echoOf(socket, 'one')).toBe('one')
  const end = closed(socket)
  proxy.cut()
  await end
  expect(await echoOf(await connectedTo(proxy), 'two')).toBe('two')
})

it('refuses connections until it is told to accept them', async () => {
  const proxy = await echoBehindProxy()
  proxy.refuse(true)
  await closed(connecting(proxy))
  proxy.refuse(false)
  expect(await echoOf(await connectedTo(proxy), 'three')).toBe('three')
})

it('keeps the order of delayed data', async () => {
  const proxy = await echoBehindProxy()
  const socket = await connectedTo(proxy)
  proxy.delay(20)
  let received = ''
  socket.on('data', (piece) => {
    received += piece
  })
  for (const text of ['a', 'b', 'c']) socket.write(text)
  await expect.poll(() => received).toBe('abc')
})
