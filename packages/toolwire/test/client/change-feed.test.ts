// Change notifications of a server, and how a client reacts.
import { spawnSync } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../src/client/client.js'
import { type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import type { ApprovalRequest } from '../../src/policy/approve/approval.js'
import { memoryGrants } from '../../src/policy/approve/grants.js'
import { approve } from '../../src/policy/approve/index.js'
import { every, until } from '../revisions.js'
import { expectAfter } from '../soak.js'
import { passUntil } from './fake-time.js'
import {
  connectScripted,
  plainTool,
  type RequestHandler,
  type Script,
  type ScriptedServer,
  silence,
  textResult,
  toolsPage,
} from './scripted.js'

const modern = '2026-07-28'
const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } }
const subscriptionId = 'io.modelcontextprotocol/subscriptionId'

/** Acknowledges the whole subscription, or only the granted part. */
const agrees =
  (granted?: JsonObject): RequestHandler =>
  ({ id, params }, server) => {
    const notifications = granted ?? (params.notifications as JsonObject)
    server.notify('notifications/subscriptions/acknowledged', { _meta: { [subscriptionId]: id as number }, notifications })
    return silence
  }

const listens = (server: ScriptedServer) => server.received('subscriptions/listen')
const wishes = (server: ScriptedServer) => listens(server).map(({ params }) => (params as JsonObject).notifications)

/** A server whose list can change, and which announces changes as its revision requires. */
async function changing(revision: string, more: Script = {}, options: ConnectOptions = {}) {
  let tools = [plainTool('old')]
  const made = await connectScripted(
    {
      'subscriptions/listen': agrees(),
      'tools/list': () => toolsPage(tools, { ttlMs: 60_000 }),
      'tools/call': ({ params }) => textResult(String(params.name)),
      ...more,
    },
    { revision, capabilities, options },
  )
  const changes: Change[] = []
  made.client.onChange((change) => changes.push(change))
  if (revision === modern) await expect.poll(() => listens(made.server)).toHaveLength(1)
  const announce = () =>
    made.server.notify(
      'notifications/tools/list_changed',
      revision === modern ? { _meta: { [subscriptionId]: listens(made.server).at(-1)?.id as number } } : undefined,
    )
  const become = (next: JsonObject[]) => {
    tools = next
  }
  return { ...made, changes, announce, become }
}

describe.each(every)('%s', (revision) => {
  it('CHG-004 lists the tools again before it chooses one, once for any number of notifications', async () => {
    const { client, server, announce, become, changes } = await changing(revision)
    await client.call('old')
    become([plainTool('new'), plainTool('newer')])
    for (let times = 0; times < 10; times++) announce()
    const calls = await Promise.all(['new', 'newer', 'new'].map((name) => client.call(name)))
    expect(calls.map(({ isError }) => isError)).toEqual([false, false, false])
    expect(server.received('tools/list')).toHaveLength(2)
    await expect.poll(() => changes).toEqual([{ kind: 'tools' }])
  })

  it('CHG-004 begins with the first page, and chooses no tool while the list is loading', async () => {
    const waiting: (() => void)[] = []
    let pages = 0
    const strict = { type: 'object', required: ['n'] }
    const list: RequestHandler = async ({ params: { cursor } }) => {
      if (++pages > 2) await new Promise<void>((resolve) => waiting.push(resolve))
      const inputSchema = pages > 2 ? strict : { type: 'object' }
      return cursor === undefined
        ? toolsPage([plainTool('a', { inputSchema })], { nextCursor: 'p2', ttlMs: 60_000 })
        : toolsPage([plainTool('b', { inputSchema })], { ttlMs: 60_000 })
    }
    const { client, server, announce } = await changing(revision, { 'tools/list': list })
    await client.call('b')
    announce()
    const calls = [client.call('b'), client.call('b')].map((call) => call.catch((thrown: unknown) => thrown))
    for (const asked of [3, 4]) {
      await expect.poll(() => pages).toBe(asked)
      waiting.shift()?.()
    }
    for (const call of calls) expect(await call).toMatchObject({ name: 'InvalidArguments', foundBy: 'client' })
    expect(server.received('tools/list').map(({ params }) => (params as JsonObject | undefined)?.cursor)).toEqual([
      undefined,
      'p2',
      undefined,
      'p2',
    ])
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('CHG-004 lists the tools again after a notification that came while the list was loading', async () => {
    const waiting: (() => void)[] = []
    let asked = 0
    const list: RequestHandler = async () => {
      if (++asked === 2) await new Promise<void>((resolve) => waiting.push(resolve))
      return toolsPage([plainTool('old'), ...(asked > 2 ? [plainTool('new')] : [])], { ttlMs: 60_000 })
    }
    const { client, announce } = await changing(revision, { 'tools/list': list })
    await client.call('old')
    announce()
    const early = client.call('old')
    await expect.poll(() => waiting).toHaveLength(1)
    announce()
    const late = client.call('new')
    waiting[0]?.()
    await expect(Promise.all([early, late])).resolves.toMatchObject([{ isError: false }, { isError: false }])
  })
})

describe.each(every)('%s, with approval by a person', (revision) => {
  it.each([
    { description: 'Sends it to all.' },
    { inputSchema: { type: 'object', properties: { all: {} } } },
    { annotations: { readOnlyHint: true } },
  ])('CHG-005 asks the person again if a tool with a permanent grant became %j', async (more) => {
    const asked: (string | undefined)[] = []
    const ask = ({ tool }: ApprovalRequest) => {
      asked.push(tool.definitionHash)
      return { allow: true, always: { forMs: 60_000 } } as const
    }
    const { client, announce, become } = await changing(revision, {}, { policies: [approve({ ask, remember: memoryGrants() })] })
    await client.call('old')
    await client.call('old')
    expect(asked).toHaveLength(1)
    become([plainTool('old', more)])
    announce()
    await client.call('old')
    expect(new Set(asked).size).toBe(2)
  })
})

describe(`${modern}, subscriptions`, () => {
  it('SUBS-001 subscribes only to the notifications that it can use', async () => {
    const { client, server } = await changing(modern)
    expect(wishes(server)).toEqual([{ toolsListChanged: true, resourcesListChanged: true }])
    await client.watch('a:1')
    expect(wishes(server)[1]).toEqual({ resourceSubscriptions: ['a:1'] })
  })

  it('SUBS-004 reports refused subscriptions, and relies on the TTL of its lists instead', async () => {
    const { client, server, warnings } = await changing(modern, {
      'subscriptions/listen': agrees({ resourcesListChanged: true }),
    })
    await expect.poll(() => warnings).toEqual([expect.stringContaining('does not announce toolsListChanged.')])
    await client.listTools()
    await client.listTools()
    expect(server.received('tools/list')).toHaveLength(1)
  })

  it('SUBS-008 separates several subscriptions by their ids', async () => {
    const { client, server, changes } = await changing(modern)
    const [first, other] = await Promise.all([client.watch('a:1'), client.watch('a:2')])
    const ids = listens(server).map(({ id }) => id as number)
    expect(new Set(ids).size).toBe(3)
    const updated = (id: number | undefined, uri: string) =>
      server.notify('notifications/resources/updated', { uri, _meta: { [subscriptionId]: id as number } })
    updated(ids[1], 'a:1')
    updated(ids[2], 'a:2')
    server.notify('notifications/tools/list_changed', { _meta: { [subscriptionId]: ids[0] as number } })
    await expect.poll(() => changes).toHaveLength(3)
    await first()
    expect(server.received('notifications/cancelled').map(({ params }) => (params as JsonObject).requestId)).toEqual([ids[1]])
    updated(ids[1], 'a:1')
    server.notify('notifications/tools/list_changed', { _meta: { [subscriptionId]: 9_999 } })
    updated(ids[2], 'a:2')
    await expect.poll(() => changes.slice(3)).toEqual([{ kind: 'resource', uri: 'a:2' }])
    await other()
  })

  it('receives changes of resources below the watched one', async () => {
    const { client, server, changes } = await changing(modern)
    await client.watch('dir:1')
    const id = listens(server)[1]?.id as number
    const updated = (uri: string, about: number) =>
      server.notify('notifications/resources/updated', { uri, _meta: { [subscriptionId]: about } })
    updated('dir:1/sub', listens(server)[0]?.id as number) // the subscription to lists includes no resource
    updated('dir:1/file', id)
    await expect.poll(() => changes).toEqual([{ kind: 'resource', uri: 'dir:1/file' }])
  })

  it('SUBS-013 subscribes again after a stream broke, and reloads its lists', async () => {
    const { client, server, changes, become } = await changing(modern)
    await client.call('old')
    become([plainTool('new')])
    const cut = performance.now()
    server.hangUp()
    await expect.poll(() => listens(server)).toHaveLength(2)
    expectAfter(performance.now() - cut, 400)
    await expect.poll(() => changes).toContainEqual({ kind: 'tools' })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['new'])
    expect(server.received('tools/list')).toHaveLength(2)
  })

  it('SUBS-013 subscribes again over HTTP after the connection broke, and reloads its lists', async () => {
    const streams: ServerResponse[] = []
    let lists = 0
    const answers: Record<string, (id: number, response: ServerResponse) => void> = {
      'server/discover': (id, response) =>
        done(response, id, { supportedVersions: [modern], capabilities: { tools: { listChanged: true } } }),
      'tools/list': (id, response) => done(response, id, { tools: [plainTool(`list ${++lists}`)], ttlMs: 60_000 }),
      'subscriptions/listen': (id, response) => {
        streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }))
        const params = { _meta: { [subscriptionId]: id }, notifications: { toolsListChanged: true } }
        const message = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
        response.write(`data: ${JSON.stringify(message)}\n\n`)
      },
    }
    const there = createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString())
      answers[method]?.(id, response)
    })
    await new Promise<void>((resolve) => there.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(there.address() as AddressInfo).port}/mcp`
    await using client = await connect(url, { revision: modern, verdicts: memoryRevisions(), onWarning: () => undefined })
    const changes: Change[] = []
    client.onChange((change) => changes.push(change))
    await expect.poll(() => streams).toHaveLength(1)
    const names = async () => (await client.listTools()).map(({ name }) => name)
    expect([await names(), await names()]).toEqual([['list 1'], ['list 1']])
    streams[0]?.socket?.destroy()
    await expect.poll(() => streams).toHaveLength(2)
    await expect.poll(() => changes).toContainEqual({ kind: 'tools' })
    expect(await names()).toEqual(['list 2'])
    await client.close()
    there.closeAllConnections()
    there.close()
  })

  it('SUBS-013 waits longer after the server has closed a stream properly', async () => {
    vi.useFakeTimers()
    try {
      const { server } = await scriptedAndListening({ resultType: 'complete' })
      expect(await passUntil(() => listens(server).length === 2, 500)).toBeGreaterThanOrEqual(20_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('SUBS-012 subscribes again after the program was restarted', async () => {
    const command = { command: process.execPath, args: ['-e', program] }
    await using client = await connect(command, { revision: modern, verdicts: memoryRevisions(), onWarning: () => undefined })
    const changes: Change[] = []
    client.onChange((change) => changes.push(change))
    const numberOf = async () => Number((await client.listTools({ fresh: true }))[0]?.name.slice(1))
    await expect.poll(() => changes.length).toBeGreaterThan(0)
    const first = await numberOf()
    expect(spawnSync(process.execPath, ['-e', `process.kill(${first})`]).status).toBe(0)
    await expect.poll(() => numberOf().catch(() => first)).not.toBe(first)
    changes.length = 0
    await expect.poll(() => changes.filter(({ kind }) => kind === 'tools').length).toBeGreaterThan(1)
  })
})

it.each(until('2025-11-25'))('RSRC-008 receives changes below a watched resource, no others: %s', async (revision) => {
  const { client, server, changes } = await changing(revision, { 'resources/subscribe': {} })
  for (const uri of ['dir:1', 'root:/']) await client.watch(uri)
  const uris = ['dir:1', 'dir:12', 'dir:1/file', 'dir:1#part', 'dir:', 'root:/file', 'other:/']
  for (const uri of uris) server.notify('notifications/resources/updated', { uri })
  const expected = ['dir:1', 'dir:1/file', 'dir:1#part', 'root:/file'].map((uri) => ({ kind: 'resource', uri }))
  await expect.poll(() => changes).toEqual(expected)
})

function done(response: ServerResponse, id: number, more: JsonObject): void {
  const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...more }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

async function scriptedAndListening(result: JsonObject) {
  const made = await connectScripted({ 'subscriptions/listen': result }, { revision: modern, capabilities })
  made.client.onChange(() => undefined)
  return made
}

/** A server on a pipe. Its only tool is named after the id of the process, and it notifies subscribers every 200 ms. */
const program = `
  const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1' } }
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  const done = (id, result) => say({ id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } })
  const perform = {
    'server/discover': ({ id }) =>
      done(id, { supportedVersions: ['${modern}'], capabilities: { tools: { listChanged: true } }, _meta: meta }),
    'tools/list': ({ id }) => done(id, { tools: [{ name: 't' + process.pid, inputSchema: { type: 'object' } }] }),
    'subscriptions/listen': ({ id, params: { notifications } }) => {
      const _meta = { '${subscriptionId}': id }
      say({ method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } })
      setInterval(() => say({ method: 'notifications/tools/list_changed', params: { _meta } }), 200)
    },
  }
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => { const message = JSON.parse(line); perform[message.method]?.(message) })
    .on('close', () => process.exit())
`
