// A server that ends a connection just as the pool hands it out: its last message arrives together with "ready".
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { openPostgres } from '../../../src/store/postgres/connection.js'
import { isConnectionLost } from '../../../src/store/postgres/failures.js'

const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'
const length = Buffer.alloc(4)
length.writeInt32BE(fields.length + 4)
const ending = Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])

/** The port of a proxy that ends the next `count` connections together with their start. */
async function endingProxy(port: number, count: number): Promise<number> {
  let left = count
  const proxy = createServer((socket) => {
    const server = connect(port, '127.0.0.1')
    for (const side of [socket, server]) side.on('error', () => undefined)
    socket.on('close', () => server.destroy())
    server.on('close', () => socket.destroy())
    socket.pipe(server)
    server.on('data', (chunk) => {
      if (left === 0 || !chunk.subarray(-ready.length).equals(ready)) return socket.write(chunk)
      left--
      socket.end(Buffer.concat([chunk, ending]))
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return (proxy.address() as AddressInfo).port
}

describe.skipIf(!postgresFound)('a connection that ends as the pool hands it out', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  it("fails its statement with the server's reason, does not crash the process, and is not used again", async () => {
    const url = new URL(await server.database())
    url.port = String(await endingProxy(server.port, 2))
    const postgres = await openPostgres(url.href, () => undefined, 1)
    onTestFinished(() => postgres.close())
    const uses = [() => postgres.sql('SELECT 1 AS one'), () => postgres.transaction((sql) => sql('SELECT 1 AS one'))]
    for (const use of uses) {
      const thrown = await use().catch((why: unknown) => why)
      expect(String(thrown)).toContain('unexpected postmaster exit')
      expect(isConnectionLost(thrown)).toBe(true)
    }
    for (const use of uses) expect(await use()).toEqual([{ one: 1 }])
  })
})
