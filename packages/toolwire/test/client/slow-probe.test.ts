// How long a client waits for the probe before it falls back to the handshake.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { memoryRevisions } from '../../src/client/connection/revision-store.js'
import { connect } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { Fails, openingResponses, type RequestHandler, scriptedEndpoint, silence } from './scripted.js'

const modern = '2026-07-28'
const old = '2025-11-25'
const impatient = () => ({ limits: { probeMs: 20 }, verdicts: memoryRevisions() })

const discovery = {
  resultType: 'complete',
  supportedVersions: [modern],
  capabilities: {},
  ttlMs: 0,
  cacheScope: 'private',
}

it('waits over HTTP, because a person may be signing in and every server answers eventually', async () => {
  const answer = () => sleep(60).then(() => discovery)
  const { endpoint, server } = scriptedEndpoint({ 'server/discover': answer }, { revision: modern, shape: 'posts' })
  await using client = await connect(endpoint, impatient())
  expect(client.server.revision).toBe(modern)
  expect(server.received('initialize')).toEqual([])
})

it('VER-004 takes silence on a pipe beyond the probe timeout as an older server', async () => {
  let goOn = () => {}
  const handshake = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { endpoint } = scriptedEndpoint(
    {
      'server/discover': () => Promise.race([handshake, sleep(20_000)]).then(() => discovery),
      initialize: () => {
        goOn()
        return openingResponses(old, { tools: {} }).initialize as JsonObject
      },
    },
    { revision: old },
  )
  await using client = await connect(endpoint, impatient())
  expect(client.server.revision).toBe(old)
})

it('waits for a program that takes seconds to start', async () => {
  const answer = () => sleep(2_500).then(() => discovery)
  const { endpoint, server } = scriptedEndpoint({ 'server/discover': answer }, { revision: modern })
  await using client = await connect(endpoint, { verdicts: memoryRevisions() })
  expect(client.server.revision).toBe(modern)
  expect(server.received('initialize')).toEqual([])
})

it('probes a server on a pipe again if its refusal of the handshake lists the latest revision', async () => {
  let asked = 0
  const { endpoint } = scriptedEndpoint(
    {
      'server/discover': () => (asked++ === 0 ? silence : discovery),
      initialize: new Fails(-32_022, 'Unsupported protocol version', { supported: [modern], requested: old }),
    },
    { revision: modern },
  )
  await using client = await connect(endpoint, impatient())
  expect(client.server.revision).toBe(modern)
  expect(asked).toBe(2)
})

it('an older server that answers the probe late causes no warning about that', async () => {
  const warnings: string[] = []
  let asked: number | undefined
  const { endpoint, server } = scriptedEndpoint(
    {
      'server/discover': ({ id }) => {
        asked = Number(id)
        return silence
      },
      ping: ({ id }, { say }) => {
        say({ jsonrpc: '2.0', id: asked ?? -1, error: { code: -32_601, message: 'no' } })
        say({ jsonrpc: '2.0', id: asked ?? -1, error: { code: -32_601, message: 'no' } })
        say({ jsonrpc: '2.0', id: Number(id), result: {} })
        return silence
      },
    },
    { revision: old },
  )
  await using client = await connect(endpoint, { ...impatient(), onWarning: (text) => warnings.push(text) })
  await client.ping()
  expect(server.received('server/discover')).toHaveLength(1)
  // A warning appears only for the second response.
  expect(warnings).toEqual([expect.stringContaining('a response that matches no pending request')])
})

it('an older server that answers with an error without an id is detected at once, without a warning', async () => {
  const warnings: string[] = []
  const answer: RequestHandler = (_, { sayText }) => {
    sayText('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}')
    return silence
  }
  const { endpoint } = scriptedEndpoint({ 'server/discover': answer }, { revision: old })
  const patient = { limits: { probeMs: 600_000 }, verdicts: memoryRevisions() }
  await using client = await connect(endpoint, { ...patient, onWarning: (text) => warnings.push(text) })
  expect(client.server.revision).toBe(old)
  expect(warnings).toEqual([])
})
