// A second host on the same data directory: its messages go to the running gateway.
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { server, tool } from 'toolwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { defaultApprovals, defaultGuard } from '../../src/config/gateway-config.js'
import { HostSession, readLines } from '../../src/stdio/host-session.js'
import { joinGateway } from '../../src/stdio/join-gateway.js'
import { LocalSocket, socketPathIn } from '../../src/stdio/local-socket.js'
import { ask, child, eventually, folder, program, started, until, upstreamConfig } from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const watched = () => upstreamConfig('watched', child(program('watched-server.mjs')), { trusted: true })
const source = '/nowhere/mcp.json'

async function withLocalSocket(more: Parameters<typeof started>[0] = {}) {
  const dataDir = join(folder(), 'data')
  const gateway = await started({ upstreams: [notes()], guard: { ...defaultGuard, rate: false }, dataDir, ...more })
  const notesTaken: string[] = []
  const localSocket = new LocalSocket(gateway.server, { dataDir, source, onNote: (words) => notesTaken.push(words) })
  await localSocket.open()
  onTestFinished(() => localSocket.close())
  return { gateway, localSocket, dataDir, notesTaken }
}

type ReceivedMessage = {
  id?: number | string
  result?: { tools?: object[]; content?: object[] }
  error?: { message: string }
  method?: string
  params?: { requestId?: string; uri?: string }
}

async function host(dataDir: string, config: string | undefined = source) {
  const found = await joinGateway({ dataDir, source: config, waitMs: 0 })
  const stdio = { readable: new PassThrough(), writable: new PassThrough() }
  const received: ReceivedMessage[] = []
  void readLines(stdio.writable, (line) => received.push(JSON.parse(line.toString())))
  const lines = new HostSession(stdio)
  const send = (message: object) => stdio.readable.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const over = found && lines.serveThrough(found.socket)
  const join = async (next: string) => {
    const again = await joinGateway({ dataDir: next, source, waitMs: 0 })
    if (again) void lines.serveThrough(again.socket)
  }
  return {
    found,
    over,
    stdio,
    received,
    send,
    join,
    answer: (id: number) => eventually(() => received.find((one) => one.id === id)),
  }
}

const hello = (id: number) => ({
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
})
const modern = ({ params, ...message }: { id: number; method: string; params: object }) => ({
  ...message,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
const call = (id: number, name: string, args: object = {}) => ({ id, method: 'tools/call', params: { name, arguments: args } })

describe('a host whose data directory is in use', () => {
  it('is served by the gateway that uses it, beside the first host, with the same guard', async () => {
    const { gateway, dataDir } = await withLocalSocket()
    const [one, two] = await Promise.all([host(dataDir), host(dataDir)])
    for (const { send, answer } of [one, two]) {
      send(hello(1))
      await answer(1)
      send({ method: 'notifications/initialized' })
      send(call(2, 'notes__read'))
      expect((await answer(2)).result?.content).toEqual([{ type: 'text', text: 'nothing' }])
    }
    expect(one.found?.pid).toBe(process.pid)
    one.send(call(3, 'notes__write', { text: 'hi' }))
    await until(async () => ((await ask(gateway, '/approvals')).body.approvals as object[]).length === 1)
    const [waiting] = (await ask(gateway, '/approvals')).body.approvals as { id: string }[]
    await ask(gateway, `/approvals/${waiting?.id}`, { body: { decision: 'allow' } })
    expect((await one.answer(3)).result?.content).toEqual([{ type: 'text', text: 'written: hi' }])
    const { calls } = (await ask(gateway, '/audit?tool=notes__write')).body as { calls: { caller: string }[] }
    expect(calls.map(({ caller }) => caller)).toEqual(['local'])
  })

  it('gets no messages of other hosts, and leaves without harm to them', async () => {
    const { dataDir } = await withLocalSocket()
    const [one, two] = await Promise.all([host(dataDir), host(dataDir)])
    for (const { send } of [one, two]) send(hello(1))
    await Promise.all([one.answer(1), two.answer(1)])
    one.stdio.readable.end()
    await one.over
    two.send(call(2, 'notes__read'))
    await two.answer(2)
    expect([one.received.map(({ id }) => id), two.received.map(({ id }) => id)]).toEqual([[1], [1, 2]])
  })

  it('BASE-015 gets an error for a line that is not UTF-8, and the call is not made', async () => {
    const { gateway, dataDir } = await withLocalSocket()
    const one = await host(dataDir)
    one.send(hello(1))
    await one.answer(1)
    const written = JSON.stringify({ jsonrpc: '2.0', ...call(2, 'notes__write', { text: 'café' }) })
    one.stdio.readable.write(Buffer.from(`${written}\n`, 'latin1'))
    one.send({ id: 3, method: 'ping' })
    await one.answer(3)
    expect(one.received.map(({ id, error }) => id ?? error?.message)).toEqual([1, expect.stringContaining('not valid UTF-8'), 3])
    expect(gateway.control.underWay()).toBe(0)
  })

  it('gets its last answers after it has closed its input', async () => {
    const { dataDir } = await withLocalSocket()
    const one = await host(dataDir)
    one.send(hello(1))
    one.send(call(2, 'notes__slow', { ms: 300 }))
    one.stdio.readable.end()
    await one.over
    expect(one.received.map(({ id }) => id)).toEqual([1, 2])
  })

  it.each([
    '2025-11-25',
    '2026-07-28',
  ])('continues with the next gateway in %s, and learns that its running calls are lost', async (revision) => {
    const { dataDir, gateway, localSocket } = await withLocalSocket()
    const one = await host(dataDir)
    const isOlder = revision === '2025-11-25'
    if (isOlder) one.send(hello(1))
    if (isOlder) await one.answer(1)
    if (isOlder) one.send({ method: 'notifications/initialized' })
    const asked = (id: number, name: string, args = {}) => one.send(isOlder ? call(id, name, args) : modern(call(id, name, args)))
    asked(2, 'notes__slow', { ms: 60_000 })
    await until(() => gateway.control.underWay() === 1)
    await localSocket.close()
    await one.over
    expect((await one.answer(2)).error?.message).toMatch(/outcome_unknown/)
    // Messages between two gateways wait for the next one.
    asked(3, 'notes__read')
    const next = await withLocalSocket()
    await one.join(next.dataDir)
    expect((await one.answer(3)).result?.content).toEqual([{ type: 'text', text: 'nothing' }])
    asked(4, 'notes__read')
    await one.answer(4)
    // The next gateway may also announce changed lists.
    expect(one.received.flatMap(({ id }) => id ?? [])).toEqual(isOlder ? [1, 2, 3, 4] : [2, 3, 4])
  })

  it('keeps exactly its own subscriptions, and gets no answer to their renewal', async () => {
    const upstreams = [watched(), notes()]
    const { dataDir, localSocket, gateway } = await withLocalSocket({ upstreams })
    const one = await host(dataDir)
    const steps = [
      hello(1),
      { id: 2, method: 'resources/subscribe', params: { uri: 'notes://today' } },
      { id: 3, method: 'resources/subscribe', params: { uri: 'notes://yesterday' } },
      { id: 4, method: 'resources/unsubscribe', params: { uri: 'notes://yesterday' } },
      { id: 5, method: 'resources/subscribe', params: { uri: 'notes://never' } },
    ]
    for (const step of steps) {
      one.send(step)
      await one.answer(step.id)
      if (step.method === 'initialize') one.send({ method: 'notifications/initialized' })
    }
    expect([...gateway.server.watched.uris]).toEqual(['notes://today'])
    await localSocket.close()
    await one.over
    const next = await withLocalSocket({ upstreams })
    await one.join(next.dataDir)
    one.send({ id: 6, method: 'ping' })
    await one.answer(6)
    await until(() => next.gateway.server.watched.uris.has('notes://today'))
    expect([...next.gateway.server.watched.uris]).toEqual(['notes://today'])
    next.gateway.server.resources.updated('notes://today')
    await until(() => one.received.some(({ params }) => params?.uri === 'notes://today'))
    expect(one.received.flatMap(({ id = [] }) => id)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('has its subscription renewed as soon as the next gateway has the resource', async () => {
    const { dataDir, localSocket } = await withLocalSocket({ upstreams: [watched()] })
    const one = await host(dataDir)
    one.send(hello(1))
    await one.answer(1)
    one.send({ method: 'notifications/initialized' })
    one.send({ id: 2, method: 'resources/subscribe', params: { uri: 'notes://today' } })
    await one.answer(2)
    await localSocket.close()
    await one.over
    const next = await withLocalSocket({ upstreams: [notes()] })
    await one.join(next.dataDir)
    one.send({ id: 3, method: 'ping' })
    await one.answer(3)
    expect([...next.gateway.server.watched.uris]).toEqual([])
    await next.gateway.change({ ...next.gateway.config, upstreams: [notes(), watched()] })
    await until(() => next.gateway.server.watched.uris.has('notes://today'))
    expect(one.received.flatMap(({ id = [] }) => id)).toEqual([1, 2, 3])
  })

  it('keeps receiving on the stream that it has opened in 2026-07-28', async () => {
    const upstreams = [watched()]
    const { dataDir, localSocket, gateway } = await withLocalSocket({ upstreams })
    const one = await host(dataDir)
    const listen = (id: number, uri: string) =>
      one.send(modern({ id, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [uri] } } }))
    listen(7, 'notes://today')
    listen(8, 'notes://yesterday')
    await until(() => one.received.length === 2)
    one.send({ method: 'notifications/cancelled', params: { requestId: 8 } })
    await until(() => gateway.server.watched.uris.size === 1)
    await gateway.close() // closing the gateway ends all subscriptions explicitly
    await localSocket.close()
    await one.over
    const next = await withLocalSocket({ upstreams })
    await one.join(next.dataDir)
    await until(() => next.gateway.server.watched.uris.has('notes://today'))
    next.gateway.server.resources.updated('notes://yesterday')
    next.gateway.server.resources.updated('notes://today')
    await until(() => one.received.length > 2)
    expect(one.received.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ])
  })

  it('GW-015 gets no more questions of an ended gateway, and its late answer does not count at the next one', async () => {
    const approvals = { ...defaultApprovals, ask: 'caller', waitMs: 60_000, mostPending: 10 } as const
    const { dataDir, localSocket } = await withLocalSocket({ approvals })
    const one = await host(dataDir)
    const asks = hello(1)
    one.send({ ...asks, params: { ...asks.params, capabilities: { elicitation: {} } } })
    await one.answer(1)
    one.send({ method: 'notifications/initialized' })
    const asked = (count: number) =>
      eventually(() => one.received.filter(({ method }) => method === 'elicitation/create')[count - 1]?.id)
    one.send(call(2, 'notes__write', { text: 'one' }))
    const before = await asked(1)
    await localSocket.close()
    await one.over
    expect(one.received.find(({ method }) => method === 'notifications/cancelled')?.params?.requestId).toBe(before)
    const next = await withLocalSocket({ approvals })
    await one.join(next.dataDir)
    one.send(call(3, 'notes__write', { text: 'two' }))
    const after = await asked(2)
    one.send({ id: before, result: { action: 'accept', content: { decision: 'allow' } } })
    one.send({ id: after, result: { action: 'decline' } })
    expect(JSON.stringify((await one.answer(3)).result)).not.toContain('written')
  })

  it('is refused with another config, because it would get servers that it does not know', async () => {
    const { dataDir } = await withLocalSocket()
    await expect(host(dataDir, '/elsewhere/mcp.json')).rejects.toThrow(
      /in use by a gateway that uses the config \/nowhere.*--data-dir/,
    )
  })

  it('finds no gateway if there is none, or if one was killed', async () => {
    const dataDir = folder()
    expect((await host(dataDir)).found).toBeUndefined()
    writeFileSync(socketPathIn(dataDir), '')
    expect((await host(dataDir)).found).toBeUndefined()
  })
})

describe('the local socket', () => {
  /** A host that has not read the long answer to its call. */
  async function withLongAnswer() {
    const run = () => 'x'.repeat(4_000_000)
    const app = server({ name: 'long', version: '1', tools: { long: tool({ description: 'Says much', run }) } })
    const dataDir = folder()
    const localSocket = new LocalSocket(app, { dataDir, source, onNote: () => undefined })
    await localSocket.open()
    const socket = connect(socketPathIn(dataDir)).on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    const lines = [{ config: source }, { jsonrpc: '2.0', ...modern(call(1, 'long')) }]
    socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await until(() => socket.readableLength > 10_000)
    return { localSocket, socket }
  }

  it('closes when its hosts have read their last answers', async () => {
    const { localSocket, socket } = await withLongAnswer()
    let isClosed = false
    const closing = localSocket.close().then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isClosed).toBe(false)
    let bytes = 0
    for await (const piece of socket) bytes += (piece as Buffer).length
    await closing
    expect(bytes).toBeGreaterThan(4_000_000)
  })

  it('lets a host finish that reads for longer than a second', async () => {
    const { localSocket, socket } = await withLongAnswer()
    const closing = localSocket.close()
    let bytes = 0
    let pieces = 0
    for await (const piece of socket) {
      bytes += (piece as Buffer).length
      if (++pieces <= 6) await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await closing
    expect(bytes).toBeGreaterThan(4_000_000)
  })

  it('closes after a second, even if a host does not read', async () => {
    const { localSocket } = await withLongAnswer()
    const begun = performance.now()
    await localSocket.close()
    expectWithin(performance.now() - begun, 5_000)
    await until(() => localSocket.hosts === 0)
  })

  it('is accessible only to its owner, and removed afterwards', async () => {
    const { dataDir, localSocket } = await withLocalSocket()
    expect(statSync(socketPathIn(dataDir)).mode & 0o777).toBe(0o600)
    await localSocket.close()
    expect(existsSync(socketPathIn(dataDir))).toBe(false)
  })

  it.each([
    'GET / HTTP/1.1\r\n',
    '{"config":4711}\n',
    'null\n',
    `${'x'.repeat(70_000)}`,
  ])('refuses a client that sends %.20j', async (words) => {
    const { dataDir } = await withLocalSocket()
    const socket = connect(socketPathIn(dataDir))
    socket.write(words)
    const [answer] = await once(socket, 'data')
    expect(JSON.parse(String(answer))).toEqual({ refused: 'The first line is not from a toolwire host' })
    socket.destroy()
  })

  it('is not opened if its path is too long, and the gateway reports that', async () => {
    const localSocket = new LocalSocket((await started()).server, {
      dataDir: join(folder(), 'x'.repeat(120)),
      source,
      onNote: (words) => notes.push(words),
    })
    const notes: string[] = []
    await localSocket.open()
    expect(notes).toEqual([expect.stringContaining('cannot join')])
    await localSocket.close()
  })
})
