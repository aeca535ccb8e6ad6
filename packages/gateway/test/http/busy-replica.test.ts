// A request for another replica that has too little memory at the moment.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { types } from 'toolwire/relay'
import { expect, it, onTestFinished } from 'vitest'
import { replicaSender } from '../../src/http/replicas/replica-connection.js'
import { replicaRequests } from '../../src/http/replicas/replica-requests.js'
import { replicaRoutes } from '../../src/http/replicas/replica-routes.js'

it('is answered with the advice to try again, and not here, nor as if its session had ended', async () => {
  const key = Buffer.alloc(32, 1)
  const taken = replicaRequests({ key, self: 'b', answer: () => undefined, refuse: (res) => void res.writeHead(404).end() })
  const server = createServer((req, res) => {
    // A small request, such as that for the clock, is always admitted.
    if (Number(req.headers['content-length']) === 0) taken(req, res)
    else req.resume().once('end', () => res.writeHead(429).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens at a port
  const routes = replicaRoutes({
    list: { self: 'a', all: () => [{ id: 'b', address }] },
    send: replicaSender({ key, self: 'a' }),
  })
  const answers: unknown[] = []
  const exchange = {
    ...{ method: 'POST', path: '/mcp', query: '', header: () => undefined, paramHeaders: () => undefined },
    onGone: () => undefined,
    respond: (status: number, headers: object) => void answers.push([status, headers]),
  }
  // What is left out is not used.
  const request = { exchange, body: '{}', holdsRequest: true, id: 1 } as unknown as types.ForwardedRequest
  expect(await routes.forward(request, 'b')).toBe(true)
  expect(answers).toEqual([[503, { 'content-type': 'application/json', 'retry-after': '1' }]])
})
