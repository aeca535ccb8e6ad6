// A client that asks and does not read: its answer lies in memory, so it is let go when it has moved nothing for as long as is said.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { strictServer } from '../../src/transports/http/server/node/strict-server.js'

const stallMs = 1_000

it('an answer that is not read is given up after the time that is said, and not after twice of it', async () => {
  const http = strictServer({ stallMs }, (_, res) => res.end(Buffer.alloc(32_000_000)))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const asking = once(http, 'connection')
  const client = connect((http.address() as AddressInfo).port, '127.0.0.1')
  client.pause().on('error', () => {})
  onTestFinished(() => void client.destroy())
  const [served] = (await asking) as [Socket]
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  // Counted by the loop that also cuts the connection, so a busy machine delays both.
  let tenths = 0
  const counting = setInterval(() => tenths++, stallMs / 10)
  onTestFinished(() => clearInterval(counting))
  await once(served, 'close')
  expect(tenths).toBeLessThan(19)
})
