// A server without sessions that is upgraded while a client is connected. spec 2026-07-28, server/utilities/caching
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/json.js'
import { connectScripted, Fails, plainTool, type RequestHandler, silence, textResult, toolsPage } from './scripted.js'

const revision = '2026-07-28'
const minute = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const acknowledged: RequestHandler = ({ id, params }, server) => {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id as number }
  server.notify('notifications/subscriptions/acknowledged', { _meta, notifications: params.notifications as JsonObject })
  return silence
}

/** A server that describes itself by `about`, until the test changes that. */
async function upgradable(ttlMs: number | undefined) {
  const about: { capabilities: JsonObject; fails: boolean; refuses?: true } = { capabilities: { tools: {} }, fails: false }
  const prompts = { resultType: 'complete', prompts: [{ name: 'greet' }], ttlMs: 0, cacheScope: 'private' }
  const described = () => ({
    ...{ resultType: 'complete', supportedVersions: [revision], capabilities: about.capabilities, cacheScope: 'private' },
    ...(ttlMs !== undefined && { ttlMs }),
  })
  const { client, server } = await connectScripted(
    {
      'server/discover': () => (about.fails ? new Fails(-32_603) : described()),
      'tools/list': toolsPage([plainTool('echo')], { ttlMs: 1_000 * minute }),
      'tools/call': textResult('hi'),
      'prompts/list': prompts,
      'subscriptions/listen': (asked, server) => (about.refuses ? new Fails(-32_602) : acknowledged(asked, server)),
    },
    { revision },
  )
  return { about, client, server, asked: () => server.received('server/discover').length }
}

it('is asked again at the next use after its answer has expired, once for all requests', async () => {
  const { about, client, server, asked } = await upgradable(10 * minute)
  about.capabilities = { tools: {}, prompts: {} }
  vi.advanceTimersByTime(9 * minute)
  await client.call('echo')
  expect(await client.listPrompts()).toEqual([])
  expect(asked()).toBe(1)
  vi.advanceTimersByTime(2 * minute)
  const lists = await Promise.all([client.listPrompts(), client.listPrompts(), client.call('echo')])
  expect(lists.slice(0, 2)).toEqual([[{ name: 'greet' }], [{ name: 'greet' }]])
  expect(client.server.capabilities).toEqual(about.capabilities)
  await client.call('echo')
  expect(asked()).toBe(2)
  expect(server.received('tools/call')).toHaveLength(3)
})

it('has its new lists subscribed to and announced, while calls do not wait for its answer', async () => {
  const { about, client, server } = await upgradable(10 * minute)
  const changes = new Set<string>()
  client.onChange(({ kind }) => changes.add(kind))
  await client.call('echo')
  about.capabilities = { tools: {}, prompts: {} }
  vi.advanceTimersByTime(11 * minute)
  await client.call('echo')
  await expect.poll(() => [...changes]).toContain('prompts')
  const [before, after] = server.received('subscriptions/listen') as { id: number; params: JsonObject }[]
  expect(before?.params.notifications).toEqual({ toolsListChanged: true })
  expect(after?.params.notifications).toEqual({ toolsListChanged: true, promptsListChanged: true })
  expect(server.received('notifications/cancelled')).toMatchObject([{ params: { requestId: before?.id } }])
})

it('keeps its subscription if the server refuses another one', async () => {
  const { about, client, server } = await upgradable(10 * minute)
  const changes = new Set<string>()
  client.onChange(({ kind }) => changes.add(kind))
  await client.call('echo')
  Object.assign(about, { refuses: true, capabilities: { tools: {}, prompts: {} } })
  vi.advanceTimersByTime(11 * minute)
  await client.call('echo')
  await expect.poll(() => [...changes]).toContain('prompts')
  changes.clear()
  const [first] = server.received('subscriptions/listen') as { id: number }[]
  server.notify('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': first?.id ?? 0 } })
  await expect.poll(() => [...changes]).toEqual(['tools'])
  expect(server.received('notifications/cancelled')).toEqual([])
})

it('keeps its earlier capabilities while it cannot answer', async () => {
  const { about, client, asked } = await upgradable(10 * minute)
  about.fails = true
  vi.advanceTimersByTime(11 * minute)
  await expect(client.getPrompt('greet')).rejects.toMatchObject({ code: 'not_offered' })
  await client.call('echo')
  expect(client.server.capabilities).toEqual({ tools: {} })
  expect(asked()).toBe(2)
  Object.assign(about, { fails: false, capabilities: { tools: {}, prompts: {} } })
  vi.advanceTimersByTime(2 * minute)
  expect(await client.listPrompts()).toHaveLength(1)
})

it.each([
  undefined,
  0,
])('is asked again once a minute at most with a ttlMs of %s, and not while nothing is sent', async (ttlMs) => {
  const { client, asked } = await upgradable(ttlMs)
  for (let seconds = 0; seconds < 150; seconds += 10) {
    await client.call('echo')
    vi.advanceTimersByTime(10_000)
  }
  await expect.poll(asked).toBe(3)
  vi.advanceTimersByTime(1_000 * minute)
  expect(asked()).toBe(3)
})
