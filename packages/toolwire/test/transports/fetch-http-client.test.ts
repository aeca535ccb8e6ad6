import { expect, it } from 'vitest'
import { type FetchFunction, fetchHttpClient } from '../../src/transports/http/client/http-clients/fetch-http-client.js'
import type { Hangup, HttpClient } from '../../src/transports/http/client/http-clients/http-client.js'
import { pause } from './http-client-fixture.js'

it.each([
  ['does not answer in time', async () => pause(50).then(() => new Response('late'))],
  [
    'sends what nobody wants to read',
    async () => new Response(new ReadableStream({ pull: (to) => pause(2).then(() => to.enqueue(new Uint8Array(9))) })),
  ],
])('a request that %s is reported as aborted, even if the given fetch ignores signals', async (_, send: FetchFunction) => {
  expect(await brokenOff(fetchHttpClient('http://127.0.0.1', send))).toMatchObject({ message: 'enough' })
})

/** The outcome of a request that is aborted soon. */
const brokenOff = (carrier: HttpClient) =>
  new Promise<Error | 'answered'>((resolve) => {
    const begin = (hangup: Hangup) => void setTimeout(() => hangup.abort(new Error('enough')), 10)
    carrier.dispatch(
      { path: '/mcp', pool: 'calls', method: 'POST', headers: [], body: '{}' },
      {
        onRequestStart: begin,
        onResponseStart: () => {},
        onResponseData: () => {},
        onResponseEnd: () => resolve('answered'),
        onResponseError: (_, error) => resolve(error),
      },
    )
  })
