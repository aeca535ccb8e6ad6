import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { apiClientOf } from '../../src/cli/api/api-client.js'
import { watchEvents } from '../../src/cli/api/watch-events.js'

// Each stream ends in the middle of an event, which is therefore not reported.
const streams = [
  '\ufeffid: 1\revent: open\rdata: {"name":"ä"}\r\r: sign of life\r\rdata\r\rid: 2\rdata: {"ne',
  'id: 2\r\nevent: call\r\ndata: {"a":\r\ndata: 2}\r\n\r\ndata: [1]\n\nid: 3',
]

it('watching reads what the standard allows, cut anywhere, and resumes after the last whole event', async () => {
  const resumedAfter: (string | undefined)[] = []
  const server = createServer((request, response) => {
    resumedAfter.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of Buffer.from(streams[resumedAfter.length - 1] ?? '')) response.write(Uint8Array.of(byte))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const api = apiClientOf({ options: { gateway: url }, env: { TOOLWIRE_API_KEY: 'key' }, signal: stop.signal })
  const events: unknown[] = []
  for await (const event of watchEvents(api, { signal: stop.signal })) if (events.push(event) === 3) stop.abort()
  server.close()
  expect(events).toEqual([
    { id: '1', event: 'open', data: { name: 'ä' } },
    { id: '2', event: 'call', data: { a: 2 } },
    { id: '2', event: 'message', data: {} },
  ])
  expect(resumedAfter).toEqual([undefined, '1'])
})
