// A forwarded request that another replica does not accept, or does not answer.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { types } from 'toolwire/relay'
import { expect, it, onTestFinished } from 'vitest'
import { replicaSender } from '../../src/http/replicas/replica-connection.js'
import type { ReplicaAddress } from '../../src/http/replicas/replica-list.js'
import { replicaRequests } from '../../src/http/replicas/replica-requests.js'
import { replicaRoutes } from '../../src/http/replicas/replica-routes.js'

const key = Buffer.alloc(32, 1)

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens at a port
}

/** A replica that returns its clock, and handles messages with `take`. */
function replica(take: RequestListener): Promise<string> {
  const taken = replicaRequests({ key, self: 'b', answer: () => undefined, refuse: (res) => void res.writeHead(404).end() })
  return listening((req, res) => {
    if (Number(req.headers['content-length']) === 0) taken(req, res)
    else req.resume().once('end', () => take(req, res))
  })
}

/** All answers to the client; none if the request is left to the replica that has it. */
async function answersOf(list: readonly ReplicaAddress[], refresh = async () => {}) {
  const routes = replicaRoutes({ list: { self: 'a', all: () => list, refresh }, send: replicaSender({ key, self: 'a' }) })
  const answers: unknown[] = []
  const exchange = {
    ...{ method: 'POST', path: '/mcp', query: '', header: () => undefined, paramHeaders: () => undefined },
    onGone: () => undefined,
    respond: (status: number, headers: object, body: string) => {
      const { 'retry-after': retryAfter } = headers as Record<string, string>
      answers.push([status, retryAfter, JSON.parse(body).error.message.split(/[:.]/)[0]])
    },
  }
  // Only these members are used.
  const request = { exchange, body: '{}', holdsRequest: true, id: 1 } as unknown as types.ForwardedRequest
  expect(await routes.forward(request, 'b')).toBe(answers.length > 0)
  return answers
}

const at = (address: string): ReplicaAddress[] => [{ id: 'b', address }]
const again = [[503, '1', 'The replica that holds this session or call cannot be reached']]
/** Connections to the broadcast address fail at once, for another reason than a closed port. */
const unreachable = 'http://255.255.255.255:1'

it('the client is told to retry if the replica has too little memory', async () => {
  const busy = await replica((_, res) => void res.writeHead(429).end())
  expect(await answersOf(at(busy))).toEqual(again)
})

it('the client is told to retry if the replica is alive but cannot be connected to', async () => {
  const list = at(unreachable)
  expect(await answersOf(list)).toEqual(again)
  expect(await answersOf(list, async () => void list.pop())).toEqual([])
})

it('the client is told to retry if only the request for the clock was lost', async () => {
  const losing = await listening((req) => void req.socket.destroy())
  expect(await answersOf(at(losing))).toEqual(again)
})

it('the client gets outcome_unknown if the replica may have received the request, and is gone', async () => {
  const unknown = [[200, undefined, 'outcome_unknown']]
  const losing = await replica((req) => void req.socket.destroy())
  expect(await answersOf(at(losing))).toEqual(unknown)
  const list: ReplicaAddress[] = []
  list.push(...at(await replica(() => void list.pop())))
  expect(await answersOf(list)).toEqual(unknown)
})

it('the request is answered here if the address has no listener, or another program', async () => {
  expect(await answersOf(at('http://127.0.0.1:1'))).toEqual([])
  expect(await answersOf(at(await listening((_, res) => void res.writeHead(404).end())))).toEqual([])
})
