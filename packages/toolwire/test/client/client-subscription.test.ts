// Subscriptions that are refused, cut off and reopened in another session.
import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../src/client/client.js'
import { connect, memoryRevisions } from '../../src/client/index.js'
import { RpcError } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { passUntil } from './fake-time.js'
import {
  connectScripted,
  Fails,
  openingResponses,
  plainTool,
  type RequestHandler,
  type Script,
  type ScriptedServer,
  scriptedEndpoint,
  silence,
  textResult,
  toolsPage,
} from './scripted.js'

const modern = '2026-07-28'
const old = '2025-11-25'
const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } }
const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const gone = () => new TransportError('session-gone', 'HTTP 404', { sent: false, status: 404 })

const agrees: RequestHandler = ({ id, params }, server) => {
  acknowledge(server, id as number, params.notifications as JsonObject)
  return silence
}
const acknowledge = (server: ScriptedServer, id: number, notifications: JsonObject) =>
  server.notify('notifications/subscriptions/acknowledged', { _meta: { [subscriptionId]: id }, notifications })
const listens = (server: ScriptedServer) => server.received('subscriptions/listen')
const wishOf = (message: JsonObject) => (message.params as JsonObject).notifications as JsonObject
const tools: Script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }

/** Runs the work with a fake clock. */
async function inFakeTime(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers()
  try {
    await work()
  } finally {
    vi.useRealTimers()
  }
}

describe('two subscriptions', () => {
  // Each session numbers its requests from one, so the ids of the two subscriptions may be swapped.
  it.each([0, 1])('both receive notifications after a reconnection, in either order (%i)', (first) =>
    inFakeTime(async () => {
      const random = vi.spyOn(Math, 'random')
      const { client, server } = await connectScripted(
        { 'subscriptions/listen': agrees },
        { revision: modern, capabilities, options: { discover: false } },
      )
      const changes: Change[] = []
      client.onChange((change) => changes.push(change))
      await client.watch('a:1')
      random.mockReturnValueOnce(first).mockReturnValueOnce(1 - first)
      server.hangUp()
      await passUntil(() => listens(server).length === 4)
      await vi.advanceTimersByTimeAsync(3_000)
      random.mockRestore()
      expect(listens(server).map(({ id }) => id)).toEqual([1, 2, 1, 2])
      changes.length = 0
      for (const message of listens(server).slice(2)) {
        const _meta = { [subscriptionId]: message.id as number }
        if (wishOf(message).toolsListChanged) server.notify('notifications/tools/list_changed', { _meta })
        else server.notify('notifications/resources/updated', { _meta, uri: 'a:1' })
      }
      await vi.advanceTimersByTimeAsync(200)
      expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['tools', 'resource']))
      await client.close()
    }))
})

describe('a subscription', () => {
  const badGateway = () => {
    const response = { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'busy' } } as const
    return new TransportError('status', 'HTTP 503', { sent: true, status: 503, response })
  }

  it('survives a gateway that cannot reach its server for a while, whatever the error', () =>
    inFakeTime(async () => {
      let times = 0
      const listen: RequestHandler = (request, server) => (times++ === 0 ? badGateway() : agrees(request, server))
      const { client, server } = await connectScripted({ 'subscriptions/listen': listen }, { revision: modern, capabilities })
      client.onChange(() => undefined)
      await passUntil(() => listens(server).length === 2)
      await client.close()
    }))

  it('ends when the server itself refuses it', () =>
    inFakeTime(async () => {
      const response = { jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'no' } } as const
      const refused = () => new TransportError('status', 'HTTP 404', { sent: false, status: 404, response })
      for (const refusal of [() => new Fails(-32_601), refused]) {
        const { client, server } = await connectScripted(
          { ...tools, 'subscriptions/listen': refusal },
          { revision: modern, capabilities },
        )
        await client.listTools()
        client.onChange(() => undefined)
        await passUntil(() => listens(server).length === 1)
        await vi.advanceTimersByTimeAsync(60_000)
        expect(listens(server)).toHaveLength(1)
        await client.close()
      }
    }))

  it.each([true, false])('reports that anything may have changed after it is reopened, acknowledged: %s', (acknowledged) =>
    inFakeTime(async () => {
      let late: () => void = () => undefined
      const listen: RequestHandler = ({ id, params }, server) => {
        late = () => acknowledge(server, id as number, params.notifications as JsonObject)
        return silence
      }
      const { client, server } = await connectScripted({ 'subscriptions/listen': listen }, { revision: modern, capabilities })
      const changes: Change[] = []
      client.onChange((change) => changes.push(change))
      await passUntil(() => listens(server).length === 1)
      server.hangUp()
      await passUntil(() => listens(server).length === 2, 10)
      await vi.advanceTimersByTimeAsync(500)
      expect(changes).toEqual([])
      if (acknowledged) late()
      const passedMs = await passUntil(() => changes.some(({ kind }) => kind === 'tools'), 10)
      if (acknowledged) expect(passedMs).toBeLessThan(400)
      await client.close()
    }))
})

describe('a reopened subscription', () => {
  it.each([
    { what: 'is acknowledged in time', ackAtMs: 500, reports: 1 },
    { what: 'is acknowledged late', ackAtMs: 1_500, reports: 2 },
  ])('that $what reports changes, times: $reports', ({ ackAtMs, reports }) =>
    inFakeTime(async () => {
      const { client, server } = await connectScripted({ 'subscriptions/listen': silence }, { revision: modern, capabilities })
      const changes: Change[] = []
      client.onChange((change) => changes.push(change))
      await passUntil(() => listens(server).length === 1)
      server.hangUp()
      await passUntil(() => listens(server).length === 2, 10)
      await vi.advanceTimersByTimeAsync(ackAtMs)
      const [, again] = listens(server)
      acknowledge(server, again?.id as number, wishOf(again as JsonObject))
      await vi.advanceTimersByTimeAsync(3_000)
      expect(changes.filter(({ kind }) => kind === 'tools')).toHaveLength(reports)
      await client.close()
    }))
})

describe('watching', () => {
  it.each([modern, old])('%s rejects for all waiting callers if the server refuses', async (revision) => {
    const refused = new Fails(-32_602, 'no such resource')
    const script = { 'subscriptions/listen': refused, 'resources/subscribe': refused }
    const { client, server } = await connectScripted(script, { revision, capabilities })
    const watches = await Promise.allSettled([client.watch('a:1'), client.watch('a:1')])
    for (const { reason } of watches as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(RpcError)
    const asked = () => server.sent.filter(({ method }) => method === 'subscriptions/listen' || method === 'resources/subscribe')
    expect(asked()).toHaveLength(1)
    await expect(client.watch('a:1')).rejects.toThrow()
    expect(asked()).toHaveLength(2)
  })

  it.each([modern, old])('%s has not begun for any caller before the server has agreed', async (revision) => {
    let agree: () => void = () => undefined
    const subscribe: RequestHandler = () => new Promise<JsonObject>((resolve) => (agree = () => resolve({})))
    const listen: RequestHandler = ({ id, params }, server) => {
      agree = () => acknowledge(server, id as number, params.notifications as JsonObject)
      return silence
    }
    const { client, server } = await connectScripted(
      { 'subscriptions/listen': listen, 'resources/subscribe': subscribe },
      { revision, capabilities },
    )
    let begun = 0
    const watches = [1, 2].map(() => client.watch('a:1').then(() => begun++))
    await expect.poll(() => server.sent.some(({ method }) => /listen|subscribe/.test(method ?? ''))).toBe(true)
    expect(begun).toBe(0)
    agree()
    await Promise.all(watches)
  })
})

describe('between two sessions', () => {
  const lost = () => new TransportError('broken', 'cut', { sent: true })

  it.each([modern, old])('%s accepts subscriptions, which apply to the next session', async (revision) => {
    const { client, server } = await connectScripted(
      { ...tools, 'subscriptions/listen': agrees, 'logging/setLevel': {} },
      { revision, capabilities: { ...capabilities, logging: {} } },
    )
    server.hangUp(lost())
    const changes: Change[] = []
    client.onChange((change) => changes.push(change))
    client.rootsChanged()
    await client.setLogLevel('warning')
    await client.listTools()
    const last = server.received('tools/list').at(-1)?.params as JsonObject | undefined
    if (revision === old) expect(server.received('logging/setLevel')).toMatchObject([{ params: { level: 'warning' } }])
    else expect(last?._meta).toMatchObject({ 'io.modelcontextprotocol/logLevel': 'warning' })
    if (revision === modern) await expect.poll(() => listens(server)).toHaveLength(1)
    const _meta = { [subscriptionId]: (listens(server).at(-1)?.id ?? 0) as number }
    server.notify('notifications/tools/list_changed', revision === modern ? { _meta } : undefined)
    await expect.poll(() => changes).toContainEqual({ kind: 'tools' })
  })

  it('all earlier subscriptions are made again after a server was upgraded', async () => {
    let isNew = false
    const { endpoint, server } = scriptedEndpoint(
      {
        'server/discover': () =>
          isNew ? (openingResponses(modern, capabilities)['server/discover'] as JsonObject) : new Fails(-32_601),
        initialize: () =>
          isNew ? new Fails(-32_601) : { protocolVersion: old, capabilities, serverInfo: { name: 's', version: '1' } },
        'resources/subscribe': {},
        'subscriptions/listen': agrees,
        ...tools,
      },
      { revision: old },
    )
    await using client = await connect(endpoint, { verdicts: memoryRevisions(), onWarning: () => undefined })
    client.onChange(() => undefined)
    await client.watch('a:1')
    isNew = true
    server.hangUp(lost())
    await client.listTools()
    expect(client.server.revision).toBe(modern)
    await expect.poll(() => listens(server).map(wishOf)).toContainEqual({ resourceSubscriptions: ['a:1'] })
    expect(listens(server).map(wishOf)).toContainEqual({ toolsListChanged: true, resourcesListChanged: true })
  })
})

describe('a session that has ended', () => {
  const forgetful = async () => {
    const made = await connectScripted({ ...tools, 'resources/subscribe': {} }, { revision: old, capabilities })
    const changes: Change[] = []
    return { ...made, changes }
  }

  const ends = [gone(), new TransportError('exited', 'the program ended', { sent: true })]

  it.each(ends)('is replaced for listeners, who are told that anything may have changed: %s', (why) =>
    inFakeTime(async () => {
      const { client, server, changes } = await forgetful()
      client.onChange((change) => changes.push(change))
      await client.watch('a:1')
      server.hangUp(why)
      await passUntil(() => changes.some(({ kind }) => kind === 'tools') && server.received('resources/subscribe').length > 1)
      expect(server.dials).toBe(2)
      expect(server.received('resources/subscribe')).toHaveLength(2)
      expect(changes).toContainEqual({ kind: 'resource', uri: 'a:1' })
      expect(changes).toContainEqual({ kind: 'tools' })
      await client.close()
    }))

  it('is replaced on the next request if there are no listeners', () =>
    inFakeTime(async () => {
      const { client, server } = await forgetful()
      server.hangUp(gone())
      await vi.advanceTimersByTimeAsync(60_000)
      expect(server.dials).toBe(1)
      await client.listTools()
      expect(server.dials).toBe(2)
      await client.close()
    }))

  it('leaves the outcome of a pending call unknown', async () => {
    const { client, server } = await forgetful()
    const { server: silent, client: other } = await connectScripted(
      { ...tools, 'tools/call': silence },
      { revision: old, capabilities },
    )
    const call = other.call('echo')
    await expect.poll(() => silent.received('tools/call')).toHaveLength(1)
    silent.hangUp(gone())
    await expect(call).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(silent.received('tools/call')).toHaveLength(1)
    expect(server.dials).toBe(1)
    await client.close()
  })
})

it('a notification with an unknown name changes nothing', async () => {
  const { client, server } = await connectScripted(tools, { revision: old, capabilities })
  const changes: Change[] = []
  client.onChange((change) => changes.push(change))
  server.notify('toString')
  server.notify('notifications/tools/list_changed')
  await expect.poll(() => changes).toEqual([{ kind: 'tools' }])
})
