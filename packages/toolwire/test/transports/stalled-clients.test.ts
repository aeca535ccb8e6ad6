// A response that its client does not read stays in memory, so the connection is closed after a time without progress.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { strictServer } from '../../src/transports/http/server/node/strict-server.js'

const stallMs = 1_000

it('an unread response is dropped after the stall time, and not after twice this time', async () => {
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
  // The same event loop counts and closes the connection, so a busy machine delays both.
  let tenths = 0
  const counting = setInterval(() => tenths++, stallMs / 10)
  onTestFinished(() => clearInterval(counting))
  await once(served, 'close')
  expect(tenths).toBeLessThan(19)
})
