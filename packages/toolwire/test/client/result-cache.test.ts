// Cached results of a client, and their lifetime.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { backoff } from '../../src/bounds/backoff.js'
import type { Change } from '../../src/client/client.js'
import { type Credentials, connect, memoryRevisions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { passUntil } from './fake-time.js'
import {
  connectScripted,
  Fails,
  plainTool,
  type RequestHandler,
  type ScriptedServer,
  scriptedEndpoint,
  silence,
  textResult,
  toolsPage,
} from './scripted.js'

const revision = '2026-07-28'
const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {} }
const minute = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A resource whose text counts its reads. */
function counted(more: JsonObject): RequestHandler {
  let reads = 0
  return ({ params: { uri } }) => ({
    resultType: 'complete',
    contents: [{ uri: String(uri), text: `${String(uri)} ${++reads}` }],
    ttlMs: minute,
    cacheScope: 'private',
    ...more,
  })
}

const listing = (member: string, more: JsonObject = {}): JsonObject => ({
  resultType: 'complete',
  [member]: [],
  ttlMs: minute,
  cacheScope: 'public',
  ...more,
})

const acknowledged: RequestHandler = ({ id, params }, server) => {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id as number }
  server.notify('notifications/subscriptions/acknowledged', { _meta, notifications: params.notifications as JsonObject })
  return silence
}

const listenId = (server: ScriptedServer) => server.received('subscriptions/listen')[0]?.id as number
const announce = (server: ScriptedServer, what: string) =>
  server.notify(`notifications/${what}/list_changed`, { _meta: { 'io.modelcontextprotocol/subscriptionId': listenId(server) } })

it('CACHE-007 caches results by method and parameters', async () => {
  const { client, server } = await connectScripted(
    {
      'resources/read': counted({}),
      'resources/list': listing('resources'),
      'resources/templates/list': listing('resourceTemplates'),
      'prompts/list': listing('prompts'),
    },
    { revision, capabilities },
  )
  const read = async (uri: string) => (await client.readResource(uri))[0]
  expect(await read('a:1')).toMatchObject({ text: 'a:1 1' })
  expect(await read('a:2')).toMatchObject({ text: 'a:2 2' })
  expect(await read('a:1')).toMatchObject({ text: 'a:1 1' })
  await client.listResources()
  await client.listResourceTemplates()
  await client.listPrompts()
  await client.listPrompts()
  for (const method of ['resources/list', 'resources/templates/list', 'prompts/list'])
    expect(server.received(method)).toHaveLength(1)
})

it('CACHE-007 caches the pages of a list by their cursors', async () => {
  const { client, server } = await connectScripted(
    {
      'tools/list': ({ params: { cursor } }) =>
        cursor === undefined
          ? toolsPage([plainTool('a')], { nextCursor: 'p2', ttlMs: minute })
          : toolsPage([plainTool('b')], { ttlMs: minute }),
    },
    { revision },
  )
  for (let times = 0; times < 2; times++) expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
  expect(server.received('tools/list')).toHaveLength(2)
})

it('limits the cache by memory, even for values with little text', async () => {
  const _meta = { filler: Array.from({ length: 40_000 }, () => ({})) }
  const { client, server } = await connectScripted({ 'resources/read': counted({ _meta }) }, { revision, capabilities })
  const uris = ['a:1', 'a:2', 'a:3', 'a:4', 'a:5']
  // Each counts as 2.5 MB of the 8 MiB, and has 120,000 characters.
  for (const uri of uris) await client.readResource(uri)
  for (const uri of uris.toReversed()) await client.readResource(uri)
  const reread = server.received('resources/read').slice(uris.length)
  expect(reread.map(({ params }) => (params as JsonObject).uri)).toEqual(['a:2', 'a:1'])
})

it('CACHE-008 does not cache results of requests with an answer or a state of the server', async () => {
  for (const round of [{ inputRequests: { who: question } }, { requestState: 'half way' }]) {
    const { client, server } = await connectScripted(
      {
        'resources/read': (request, on) =>
          request.params.inputResponses || request.params.requestState
            ? counted({})(request, on)
            : { resultType: 'input_required', ...round },
      },
      { revision, capabilities, options: { answers: { form: () => ({ action: 'accept', content: {} }) } } },
    )
    await client.readResource('a:1')
    await client.readResource('a:1')
    expect(server.received('resources/read')).toHaveLength(4)
  }
})

const question = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}

it.each(['private', 'public'])('CACHE-009 shares no results between users, even if they are %s', async (cacheScope) => {
  let who = 'ann'
  const auth: Credentials = { headers: () => ({}), refused: async () => false, principal: () => who }
  const { client, server } = await connectScripted(
    { 'resources/read': counted({ cacheScope }) },
    { revision, capabilities, options: { auth } },
  )
  await client.readResource('a:1')
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(1)
  who = 'bob'
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(2)
  who = 'ann'
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(3)
})

it.each([
  'private',
  'public',
])('CACHE-009 neither caches nor reuses %s results for people that it requests on behalf of', async (cacheScope) => {
  const { client, server } = await connectScripted({ 'resources/read': counted({ cacheScope }) }, { revision, capabilities })
  const texts = []
  for (const onBehalfOf of [undefined, 'ann', 'bob', 'ann', {}, undefined])
    texts.push(...(await client.readResource('a:1', onBehalfOf === undefined ? {} : { onBehalfOf })))
  expect(texts).toMatchObject([1, 2, 3, 4, 5, 1].map((read) => ({ text: `a:1 ${read}` })))
  expect(server.received('resources/read')).toHaveLength(5)
})

it('CACHE-009 shares nothing between two clients of one server', async () => {
  const { endpoint, server } = scriptedEndpoint({ 'resources/read': counted({}) }, { revision, capabilities })
  for (const token of ['one', 'other']) {
    await using client = await connect(endpoint, { revision, verdicts: memoryRevisions(), auth: { token } })
    await client.readResource('a:1')
  }
  expect(server.received('resources/read')).toHaveLength(2)
})

it.each([
  { ttlMs: 0 },
  { ttlMs: -1 },
  { ttlMs: 'soon' },
  { ttlMs: null },
])('CACHE-011 caches nothing that has %j', async (more) => {
  const { client, server } = await connectScripted({ 'resources/read': counted(more) }, { revision, capabilities })
  await client.readResource('a:1')
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(2)
})

it('CACHE-011 caches nothing without a ttl', async () => {
  const { client, server } = await connectScripted(
    { 'resources/read': { resultType: 'complete', contents: [{ uri: 'a:1', text: 'x' }] } },
    { revision, capabilities },
  )
  await client.readResource('a:1')
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(2)
})

it('CACHE-011 treats a result as fresh until its ttl has passed since it was received, and no longer', async () => {
  const { client, server } = await connectScripted(
    {
      'resources/read': (request, on) => {
        vi.advanceTimersByTime(500) // in transit
        return counted({ ttlMs: 1_000 })(request, on)
      },
    },
    { revision, capabilities },
  )
  await client.readResource('a:1')
  vi.advanceTimersByTime(999)
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(2)
})

it.each([
  [minute, {}, minute],
  [minute, { cacheMs: 2_000 }, 2_000],
  [1, {}, 1_000],
])('CACHE-011 CACHE-013 uses a list of %i ms until it has expired, and then reloads it (%j)', async (ttlMs, limits, freshMs) => {
  const { client, server } = await connectScripted(
    {
      'tools/list': ({ params: { cursor } }) =>
        cursor === undefined
          ? toolsPage([plainTool('a')], { nextCursor: 'p2', ttlMs: 2 * minute })
          : toolsPage([plainTool('b')], { ttlMs }),
      'tools/call': textResult('done'),
    },
    { revision, options: { limits } },
  )
  await client.call('a')
  vi.advanceTimersByTime(freshMs - 1)
  await client.call('a')
  expect(server.received('tools/list')).toHaveLength(2)
  vi.advanceTimersByTime(1)
  await client.call('a')
  expect(server.received('tools/list').length).toBeGreaterThan(2)
})

it('CACHE-011 uses a list until it has expired, even if a resource was updated while it loaded', async () => {
  const { client, server } = await connectScripted(
    {
      'subscriptions/listen': acknowledged,
      'tools/list': (_, on) => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': listenId(on) }
        on.notify('notifications/resources/updated', { _meta, uri: 'a:1' })
        return toolsPage([plainTool('a')], { ttlMs: minute })
      },
      'tools/call': textResult('done'),
    },
    { revision, capabilities },
  )
  await client.watch('a:1')
  await client.call('a')
  vi.advanceTimersByTime(minute)
  await client.call('a')
  expect(server.received('tools/list')).toHaveLength(2)
})

it('CACHE-012 reads a watched resource again after an update below it', async () => {
  const { client, server } = await connectScripted(
    { 'subscriptions/listen': acknowledged, 'resources/read': counted({}) },
    { revision, capabilities },
  )
  await client.watch('a:1')
  await client.readResource('a:1')
  const _meta = { 'io.modelcontextprotocol/subscriptionId': listenId(server) }
  server.notify('notifications/resources/updated', { _meta, uri: 'a:1/b' })
  await client.readResource('a:1')
  expect(server.received('resources/read')).toHaveLength(2)
})

it('CACHE-011 uses a list without a ttl until a change is announced', async () => {
  const { client, server } = await connectScripted(
    { 'tools/list': toolsPage([plainTool('a')]), 'tools/call': textResult('done') },
    { revision },
  )
  await client.call('a')
  vi.advanceTimersByTime(7 * 24 * 60 * minute)
  await client.call('a')
  expect(server.received('tools/list')).toHaveLength(1)
})

it('CACHE-012 reloads a list after a change, even if it is still fresh', async () => {
  const { client, server } = await connectScripted(
    {
      'subscriptions/listen': acknowledged,
      'tools/list': toolsPage([plainTool('a')], { ttlMs: minute }),
      'prompts/list': listing('prompts'),
    },
    { revision, capabilities },
  )
  client.onChange(() => undefined)
  await vi.waitFor(() => expect(server.received('subscriptions/listen')).toHaveLength(1), 60_000)
  const listAll = () => Promise.all([client.listTools(), client.listPrompts()])
  await listAll()
  await listAll()
  expect(server.received('tools/list')).toHaveLength(1)
  announce(server, 'tools')
  await listAll()
  expect(server.received('tools/list')).toHaveLength(2)
  expect(server.received('prompts/list')).toHaveLength(1)
})

it('CACHE-013 sends no request by itself when a cached result expires', async () => {
  vi.useFakeTimers()
  const { client, server } = await connectScripted(
    { 'tools/list': toolsPage([plainTool('a')], { ttlMs: 1_000 }) },
    { revision, capabilities },
  )
  await client.listTools()
  const before = server.sent.length
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(server.sent).toHaveLength(before)
  await client.listTools()
  expect(server.received('tools/list')).toHaveLength(2)
})

it('CACHE-014 increases the delay before each attempt, with jitter', async () => {
  for (const random of [() => 0, () => 0.5, () => 1]) {
    const waits = Array.from({ length: 8 }, (_, attempt) => backoff(attempt, random))
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThan(waits[index - 1] ?? 0)
  }
  expect(backoff(1_000, () => 1)).toBe(30_000)
  expect(new Set(Array.from({ length: 50 }, () => backoff(3))).size).toBeGreaterThan(40)
})

it('CACHE-014 subscribes again with increasing delays', async () => {
  vi.useFakeTimers()
  const asked: number[] = []
  const { client } = await connectScripted(
    {
      'subscriptions/listen': (_, server) => {
        asked.push(performance.now())
        queueMicrotask(() => server.hangUp())
        return silence
      },
    },
    { revision, capabilities },
  )
  const changes: Change[] = []
  client.onChange((change) => changes.push(change))
  const endAt = performance.now() + 5 * minute
  await passUntil(() => performance.now() >= endAt, 2_000)
  const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
  expect(waits.length).toBeGreaterThan(8)
  expect(waits.length).toBeLessThan(40)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
  expect(Math.max(...waits)).toBeGreaterThan(10_000)
  expect(new Set(waits).size).toBeGreaterThan(waits.length / 2)
})

it('CACHE-016 reloads the list after the server reported one of its tools as unknown', async () => {
  let tools = [plainTool('old')]
  const { client, server } = await connectScripted(
    {
      'tools/list': () => toolsPage(tools, { ttlMs: minute }),
      'tools/call': ({ params }) =>
        tools.some(({ name }) => name === params.name) ? textResult('hi') : new Fails(-32602, 'Unknown tool'),
    },
    { revision },
  )
  await client.call('old')
  tools = [plainTool('new')]
  await expect(client.call('old')).rejects.toMatchObject({ foundBy: 'server' })
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['new'])
  expect(server.received('tools/list')).toHaveLength(2)
})

it('CACHE-017 expires each page separately, and reloads all of them on request', async () => {
  const { client, server } = await connectScripted(
    {
      'tools/list': ({ params: { cursor } }) =>
        cursor === undefined
          ? toolsPage([plainTool('a')], { nextCursor: 'p2', ttlMs: minute })
          : toolsPage([plainTool('b')], { ttlMs: 1_000 }),
    },
    { revision },
  )
  const asked = () => server.received('tools/list').map(({ params }) => (params as JsonObject).cursor)
  await client.listTools()
  vi.advanceTimersByTime(1_000)
  await client.listTools()
  expect(asked()).toEqual([undefined, 'p2', 'p2'])
  await client.listTools({ fresh: true })
  expect(asked()).toEqual([undefined, 'p2', 'p2', undefined, 'p2'])
})
