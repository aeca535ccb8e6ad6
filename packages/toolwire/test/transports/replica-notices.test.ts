// Messages that one replica of a server passes on to the others.
import { expect, it } from 'vitest'
import { withReplica } from '../../src/peer/replica-ids.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import type { ForwardedRequest, ReplicaRoutes } from '../../src/transports/http/server/replicas.js'
import { fixture, modern, selfDescribing } from './fixture.js'
import { Client, HttpPeer } from './peers.js'

/** A replica whose messages to others are recorded. */
function replica(delivered: Promise<void> = Promise.resolve()) {
  const told: ForwardedRequest[] = []
  const replicas: ReplicaRoutes = {
    forward: async () => false,
    tell: (request) => {
      told.push(request)
      return delivered
    },
  }
  const { app } = fixture({ secret: 'a secret that two replicas share', replica: 'one' })
  const handler = fetchHandler(app['~application'], { replicas })
  const peer = new HttpPeer('http://localhost/', handler)
  return { peer, bodies: () => told.map(({ body = '' }) => JSON.parse(body)) }
}

const cancel = (params: object) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
const reason = `${'a'.repeat(199)}\u{1f600}${'b'.repeat(3_000_000)}`
/** Half of the surrogate pair would be refused. */
const shortened = `${'a'.repeat(199)}\ufffd`
const long = { requestId: 7, reason, more: 'c'.repeat(500_000), _meta: { note: 'd'.repeat(100_000) } }

it.each([
  '2025-03-26',
  '2025-11-25',
])('a cancellation in a session tells other replicas 200 characters of its reason (%s)', async (version) => {
  const { peer, bodies } = replica()
  await Client.open(peer, version)
  expect((await peer.post(JSON.stringify(cancel(long)), {}, { 'mcp-protocol-version': version })).status).toBe(202)
  expect(bodies()).toEqual([cancel({ requestId: 7, reason: shortened })])
})

it('a cancellation without a session tells other replicas its revision and 200 characters of its reason', async () => {
  const { peer, bodies } = replica()
  const message = selfDescribing(cancel(long))
  expect((await peer.post(JSON.stringify(message), message)).status).toBe(202)
  const _meta = { 'io.modelcontextprotocol/protocolVersion': modern }
  expect(bodies()).toEqual([cancel({ requestId: 7, reason: shortened, _meta })])
})

it('a batch is answered when its responses have reached their replica', async () => {
  let deliver = () => {}
  const { peer, bodies } = replica(
    new Promise((resolve) => {
      deliver = resolve
    }),
  )
  await Client.open(peer, '2025-03-26')
  const response = { jsonrpc: '2.0', id: withReplica('two', '1'), result: { text: 'x'.repeat(1_000) } }
  let status = 0
  const posted = peer.post(JSON.stringify([response, cancel({ requestId: 7 })])).then((answer) => {
    status = answer.status
  })
  await expect.poll(bodies).toEqual([response, cancel({ requestId: 7 })])
  expect(status).toBe(0)
  deliver()
  await posted
  expect(status).toBe(202)
})
