// Connections that assume a revision: one that is cached for the server, or one that the user has set.
import { describe, expect, it } from 'vitest'
import { connect, memoryRevisions, type RevisionStore } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { clientOf, posting, type Word } from './posting-server.js'
import { Fails, openingResponses, plainTool, type Reply, scriptedEndpoint, silence, textResult, toolsPage } from './scripted.js'

const modern = '2026-07-28'
const old = '2025-11-25'
const hands: JsonObject = { protocolVersion: old, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
const quiet = { onWarning: () => undefined }

/** A server of the latest revision that is downgraded later. Before the handshake, it then answers every request with `confused`. */
async function downgraded(confused: (on: { hangUp(why: TransportError): void }) => Reply) {
  const verdicts = memoryRevisions()
  let isOld = false
  let shook = false
  const unless = (then: Reply) => (_: unknown, server: { hangUp(why: TransportError): void }) =>
    isOld && !shook ? confused(server) : then
  const there = scriptedEndpoint(
    {
      'server/discover': (request, server) =>
        unless(isOld ? new Fails(-32_601) : (openingResponses(modern, { tools: {} })['server/discover'] as JsonObject))(
          request,
          server,
        ),
      initialize: () => {
        shook = true
        return hands
      },
      'tools/list': unless(toolsPage([plainTool('echo')])),
      'tools/call': unless(textResult('hi')),
    },
    { revision: modern },
  )
  await (await connect(there.endpoint, { verdicts, ...quiet })).close()
  isOld = true
  return { ...there, verdicts }
}

const limits = { idleMs: 1_500, probeMs: 400 }
const again = (endpoint: Parameters<typeof connect>[0], verdicts: RevisionStore, more = {}) =>
  connect(endpoint, { verdicts, limits, ...quiet, ...more })

describe('a server on a pipe that was downgraded', () => {
  const exits = (on: { hangUp(why: TransportError): void }): Reply => {
    on.hangUp(new TransportError('exited', 'ended with code 1', { sent: true }))
    return silence
  }
  it.each([
    ['says that the parameters are invalid', () => new Fails(-32_602)],
    ['says something of its own', () => new Fails(-32_000)],
    ['ends', exits],
  ] as const)('and %s is used in the older revision at once', async (_, confused) => {
    const { endpoint, verdicts } = await downgraded(confused)
    await using client = await again(endpoint, verdicts)
    await expect(client.listTools()).resolves.toHaveLength(1)
    expect(client.server.revision).toBe(old)
  })

  it('and is silent fails once, and is probed again afterwards', async () => {
    const { endpoint, verdicts } = await downgraded(() => silence)
    await using client = await again(endpoint, verdicts)
    await expect(client.listTools()).rejects.toMatchObject({ code: 'timed_out' })
    await expect(client.listTools()).resolves.toHaveLength(1)
  })

  it('serves all the requests that discovered the downgrade together', async () => {
    const { endpoint, verdicts, server } = await downgraded(() => new Fails(-32_602))
    await using client = await again(endpoint, verdicts)
    const lists = await Promise.all([1, 2, 3, 4, 5].map(() => client.listTools({ fresh: true })))
    expect(lists.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1])
    expect(server.received('initialize')).toHaveLength(1)
    expect(verdicts.get(endpoint.key)?.revision).toBe(old)
  })
})

it('late errors of an abandoned session do not affect its successor', async () => {
  let isOld = false
  let asked = 0
  const refuses: Word = ({ message }, response) => {
    if (message.params._meta === undefined) return { resources: [] }
    const error = { code: -32_600, message: 'Not initialized' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, error })
    setTimeout(() => response.writeHead(400, { 'content-type': 'application/json' }).end(body), 40 * asked++)
    return silence
  }
  const capabilities = { resources: {} }
  const discovery = openingResponses(modern, capabilities)['server/discover'] as JsonObject
  const server = await posting(
    {
      'server/discover': () => (isOld ? new Fails(-32_601) : discovery),
      initialize: { ...hands, capabilities },
      'resources/list': refuses,
    },
    { revision: modern, statusOfErrors: 400 },
  )
  const kept = memoryRevisions()
  let forgotten = 0
  const verdicts: RevisionStore = {
    ...kept,
    delete(key) {
      forgotten++
      kept.delete(key)
    },
  }
  await (await connect(server.url, { verdicts, ...quiet })).close()
  isOld = true
  await using client = await connect(server.url, { verdicts, ...quiet })
  const lists = await Promise.all([1, 2, 3, 4, 5].map(() => client.request('resources/list')))
  expect(lists).toHaveLength(5)
  expect(forgotten).toBe(1)
  expect(server.posted('initialize')).toHaveLength(1)
})

it.each([true, false])('a call that failed on the server is not retried, discover: %s', async (discover) => {
  const server = await posting({ 'tools/call': new Fails(-32_603, 'after the write') }, { revision: modern, statusOfErrors: 500 })
  const verdicts = memoryRevisions()
  if (discover) await (await connect(server.url, { verdicts, ...quiet })).close()
  await using client = await connect(server.url, { verdicts, discover, listFirst: false, ...quiet })
  await expect(client.call('pay')).rejects.toMatchObject({ code: -32_603 })
  expect(server.posted('tools/call')).toHaveLength(1)
})

it('a call is retried if the server has only read its envelope', async () => {
  let isOld = false
  const server = await posting(
    {
      'server/discover': () => (isOld ? new Fails(-32_601) : (openingResponses(modern, {})['server/discover'] as JsonObject)),
      initialize: hands,
      'tools/call': ({ message }) => (isOld && message.params._meta !== undefined ? new Fails(-32_000) : textResult('hi')),
    },
    { revision: modern, statusOfErrors: 400 },
  )
  const verdicts = memoryRevisions()
  await (await connect(server.url, { verdicts, ...quiet })).close()
  isOld = true
  await using client = await connect(server.url, { verdicts, listFirst: false, ...quiet })
  await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
  expect(server.posted('tools/call')).toHaveLength(2)
})

it('the instructions for one user are not shown to another', async () => {
  const server = await posting(
    {
      'server/discover': ({ headers }) => ({
        ...(openingResponses(modern, { tools: {} })['server/discover'] as JsonObject),
        ttlMs: 10_000_000,
        instructions: `for ${headers.authorization}`,
      }),
      'tools/list': toolsPage([], { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'shop', version: '2' } } }),
    },
    { revision: modern },
  )
  const verdicts = memoryRevisions()
  const { client: first } = await clientOf(server, modern, { verdicts, auth: { token: 'alice' } })
  const { client: second } = await clientOf(server, modern, { verdicts, auth: { token: 'bob' } })
  expect(first.server.instructions).toBe('for Bearer alice')
  expect(second.server).toMatchObject({ instructions: undefined, name: undefined, capabilities: {}, revision: modern })
  await second.listTools()
  expect(second.server).toMatchObject({ instructions: undefined, name: 'shop', version: '2' })
  await Promise.all([first.close(), second.close()])
})
