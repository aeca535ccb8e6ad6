// Running work of a session at one replica, and messages about it that reach another.
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { JsonObject } from 'toolwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { selfDescribing } from '../../../toolwire/test/transports/fixture.js'
import { type Event, eventsIn, HttpPeer } from '../../../toolwire/test/transports/peers.js'
import { type ReplicaGateways, replicaGateways } from '../support/replica-gateways.js'
import { upstreamConfig } from '../support/running-gateway.js'
import { askingServer, client, revisions, words } from '../support/upstream-fixture.js'

type Behind = ReplicaGateways & { readonly done: Record<string, number> }

async function behind(count = 3): Promise<Behind> {
  const { target, done } = await askingServer(undefined, 'http')
  return { ...(await replicaGateways({ upstreams: [upstreamConfig('asking', target, { trusted: true })] }, { count })), done }
}

const initialize = (version: string, capabilities = {}) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } },
})
const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: `asking__${name}`, arguments: args, _meta: { progressToken: `p${id}` } },
})
const post = (peer: HttpPeer, message: object) => peer.post(JSON.stringify(message))

/** A session of that revision whose next request goes to the first replica. */
async function open({ url, turnTo }: ReplicaGateways, version = '2025-11-25', capabilities = {}): Promise<HttpPeer> {
  const peer = new HttpPeer(url)
  turnTo(0)
  await post(peer, initialize(version, capabilities))
  await post(peer, { jsonrpc: '2.0', method: 'notifications/initialized' })
  turnTo(0)
  return peer
}

/** Reads the events of a stream as they arrive. */
class Reading {
  readonly events: Event[] = []
  ended = false
  readonly #response: Response
  readonly #cut: AbortController

  constructor(response: Response, cut: AbortController) {
    this.#response = response
    this.#cut = cut
    onTestFinished(() => cut.abort())
    void this.#read()
      .catch(() => undefined)
      .finally(() => {
        this.ended = true
      })
  }

  static async of(peer: HttpPeer, method: 'GET' | 'POST', { body, headers }: { body?: object; headers?: object } = {}) {
    const cut = new AbortController()
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream'
    const sent = { accept, ...(body && { 'content-type': 'application/json' }), ...headers }
    const init = { signal: cut.signal, ...(body && { body: JSON.stringify(body) }) }
    return new Reading(await peer.request(method, sent, init), cut)
  }

  get status(): number {
    return this.#response.status
  }

  get messages(): JsonObject[] {
    return this.events.flatMap(({ data }) => (data ? [JSON.parse(data) as JsonObject] : []))
  }

  cut(): void {
    this.#cut.abort()
  }

  async #read(): Promise<void> {
    let rest = ''
    const body = this.#response.body as ReadableStream<Uint8Array<ArrayBuffer>>
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += part.value
      const end = rest.lastIndexOf('\n\n') + 2
      if (end < 2) continue
      this.events.push(...eventsIn(rest.slice(0, end)))
      rest = rest.slice(end)
    }
  }
}

describe.each(revisions)('a client of %s', (revision) => {
  it('cancels at one replica a call that runs at another', async () => {
    const { url, replicas } = await behind()
    const running = async () => replicas.reduce((sum, { control }) => sum + control.calls().length, 0)
    const one = await client(url, { revision })
    for (let count = 1; count <= 3; count++) {
      const stop = new AbortController()
      const called = one.call('asking__wait', {}, { signal: stop.signal })
      const ended = expect(called).rejects.toThrow()
      await expect.poll(running).toBe(1)
      stop.abort()
      await ended
      await expect.poll(running).toBe(0)
    }
  })
})

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('a session of %s', (version) => {
  it('is ended on all replicas by DELETE, with its streams', async () => {
    const fleet = await behind()
    const peer = await open(fleet, version)
    const stream = await Reading.of(peer, 'GET')
    expect(stream.status).toBe(200)
    fleet.turnTo(1)
    expect((await peer.request('DELETE')).status).toBe(204)
    await expect.poll(() => stream.ended).toBe(true)
    const statuses = await Promise.all(
      [1, 2, 3].map(async (id) => (await post(peer, { jsonrpc: '2.0', id, method: 'ping' })).status),
    )
    expect(statuses).toEqual([404, 404, 404])
  })

  it('answers a question of one replica at each other replica', async () => {
    const fleet = await behind()
    const peer = await open(fleet, version === '2025-03-26' ? '2025-06-18' : version, { elicitation: {} })
    for (const other of [1, 2]) {
      fleet.turnTo(0)
      const asking = await Reading.of(peer, 'POST', { body: call(other, 'book', { at: 'one' }) })
      await expect.poll(() => asking.messages.at(-1)?.method).toBe('elicitation/create')
      const id = asking.messages.at(-1)?.id ?? ''
      fleet.turnTo(other)
      const answered = await post(peer, { jsonrpc: '2.0', id, result: { action: 'accept', content: { people: 2 } } })
      expect(answered.status).toBe(202)
      await expect.poll(() => asking.messages.at(-1)?.result).toMatchObject({ content: [{ text: 'booked at one for 2' }] })
    }
    expect(fleet.done).toMatchObject({ begun: 2, booked: 2 })
  })
})

describe('the message forms of older and newer clients:', () => {
  it('an answer and a cancellation in a batch reach their replica', async () => {
    const fleet = await behind()
    const peer = await open(fleet, '2025-03-26', { roots: {} })
    const asking = await Reading.of(peer, 'POST', { body: call(1, 'where') })
    await expect.poll(() => asking.messages.at(-1)?.method).toBe('roots/list')
    fleet.turnTo(0)
    const waiting = peer.say(JSON.stringify(call(2, 'wait')), 'response')
    await expect.poll(async () => fleet.replicas[0]?.control.calls().length).toBe(2)
    fleet.turnTo(1)
    const answer = { jsonrpc: '2.0', id: asking.messages.at(-1)?.id, result: { roots: [{ uri: 'file:///work' }] } }
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    expect((await post(peer, [answer, cancel])).status).toBe(202)
    await expect.poll(() => asking.messages.at(-1)?.result).toMatchObject({ content: [{ text: 'file:///work' }] })
    expect(await waiting).toEqual([])
    await expect.poll(() => fleet.replicas[0]?.control.calls().length).toBe(0)
  })

  it('a cancellation of 2026-07-28 in a separate request is accepted', async () => {
    const fleet = await behind()
    const peer = new HttpPeer(fleet.url)
    const say = (message: { method: string; params?: object }) => {
      const described = selfDescribing({ jsonrpc: '2.0', ...message })
      return peer.post(JSON.stringify(described), described)
    }
    fleet.turnTo(0)
    const called = say({ ...call(5, 'wait'), method: 'tools/call' })
    await expect.poll(async () => fleet.replicas[0]?.control.calls().length).toBe(1)
    fleet.turnTo(1)
    expect((await say({ method: 'notifications/cancelled', params: { requestId: 5 } })).status).toBe(202)
    await called
    await expect.poll(() => fleet.replicas[0]?.control.calls().length).toBe(0)
  })
})

describe('an interrupted stream', () => {
  it('resumes at another replica, with every event once and in order', async () => {
    const fleet = await behind()
    const peer = await open(fleet)
    const first = await Reading.of(peer, 'POST', { body: call(7, 'steps', { steps: 10 }) })
    await expect.poll(() => first.events.length).toBeGreaterThan(2)
    first.cut()
    const withIds = first.events.filter(({ id }) => id !== undefined)
    fleet.turnTo(1)
    const rest = await Reading.of(peer, 'GET', { headers: { 'last-event-id': withIds.at(-1)?.id } })
    expect(rest.status).toBe(200)
    await expect.poll(() => rest.ended).toBe(true)
    const progress = [...first.messages, ...rest.messages].flatMap(({ method, params }) =>
      method === 'notifications/progress' ? [(params as JsonObject).progress] : [],
    )
    expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(rest.messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'arrived' }] } })
  })
})

/** Simulates the kill of a process: no drain, and the other replicas notice that it is gone. */
async function kill({ replicas, list }: ReplicaGateways, index: number): Promise<void> {
  list.splice(
    list.findIndex(({ id }) => id === `replica-${index}`),
    1,
  )
  await replicas[index]?.close({ drainMs: 0, delayMs: 0 })
}

describe('a list of replicas', () => {
  const book = async (fleet: ReplicaGateways) => {
    const answers = {
      form: () => {
        fleet.turnTo(1)
        return { action: 'accept' as const, content: { people: 2 } }
      },
    }
    const one = await client(fleet.url, { revision: '2026-07-28', answers })
    await one.listTools()
    fleet.turnTo(0)
    return words(await one.call('asking__book', { at: 'one' }))
  }

  it('is read again when it lacks a replica', async () => {
    const { target } = await askingServer(undefined, 'http')
    let reads = 0
    const fleet = await replicaGateways(
      { upstreams: [upstreamConfig('asking', target, { trusted: true })] },
      { count: 2, known: (list) => (reads > 0 ? list : []), refresh: async () => void reads++ },
    )
    expect(await book(fleet)).toBe('booked at one for 2')
    expect(reads).toBe(1)
  })

  it('with a wrong address does not pass requests on: the wrong replica refuses them', async () => {
    const fleet = await behind(2)
    const [first, second] = fleet.list
    if (!first || !second) throw new Error('The test needs two replicas')
    fleet.list.splice(0, 2, { ...first, address: second.address }, { ...second, address: first.address })
    expect(await book(fleet)).toMatch(/^outcome_unknown: /)
    expect(fleet.done).toEqual({ begun: 1 })
  })
})

describe('a replica that is gone', () => {
  it('has its streams refused and the answers to its questions dropped, and the session continues', async () => {
    const fleet = await behind(2)
    const peer = await open(fleet, '2025-11-25', { elicitation: {} })
    const asking = await Reading.of(peer, 'POST', { body: call(1, 'book', { at: 'one' }) })
    await expect.poll(() => asking.messages.at(-1)?.method).toBe('elicitation/create')
    const question = asking.messages.at(-1)?.id ?? ''
    const lastEventId = asking.events.findLast(({ id }) => id !== undefined)?.id
    await kill(fleet, 0)
    await expect.poll(() => asking.ended).toBe(true)
    fleet.turnTo(1)
    expect((await post(peer, { jsonrpc: '2.0', id: question, result: { action: 'accept' } })).status).toBe(202)
    fleet.turnTo(1)
    expect((await Reading.of(peer, 'GET', { headers: { 'last-event-id': lastEventId } })).status).toBe(400)
    fleet.turnTo(1)
    const answer = await peer.say(JSON.stringify(call(2, 'sum', { a: 1, b: 2 })), 'response')
    expect(answer.at(-1)).toMatchObject({ id: 2, result: { structuredContent: { sum: 3 } } })
  })

  it('leaves a call that waited for an answer with an unknown outcome, and the call is not repeated', async () => {
    const fleet = await behind(2)
    const answers = {
      form: async () => {
        await kill(fleet, 0)
        fleet.turnTo(1)
        return { action: 'accept' as const, content: { people: 2 } }
      },
    }
    const one = await client(fleet.url, { revision: '2026-07-28', answers })
    await one.listTools()
    fleet.turnTo(0)
    const result = await one.call('asking__book', { at: 'one' })
    expect(result.isError).toBe(true)
    expect(words(result)).toMatch(/^outcome_unknown: /)
    expect(fleet.done.begun).toBe(1)
    expect(fleet.done.booked).toBeUndefined()
  })

  it('cuts a stream that another replica relays, and the client resumes it', async () => {
    const fleet = await behind(2)
    const peer = await open(fleet)
    const first = await Reading.of(peer, 'POST', { body: call(7, 'steps', { steps: 1_000 }) })
    await expect.poll(() => first.events.length).toBeGreaterThan(0)
    first.cut()
    const headers = { 'last-event-id': first.events[0]?.id }
    fleet.turnTo(1)
    const passed = await Reading.of(peer, 'GET', { headers })
    expect([passed.status, passed.ended]).toEqual([200, false])
    await kill(fleet, 0)
    await expect.poll(() => passed.ended).toBe(true)
    fleet.turnTo(1)
    expect((await Reading.of(peer, 'GET', { headers })).status).toBe(400)
  })

  it('is waited for while it may be alive, and its callers get an answer here afterwards', async () => {
    const fleet = await behind(2)
    const peer = await open(fleet, '2025-11-25', { elicitation: {} })
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { port } = silent.address() as AddressInfo // it listens on TCP
    fleet.list.push({ id: 'stopped', address: `http://127.0.0.1:${port}` })
    const get = async (taskId: string) =>
      (await peer.say(JSON.stringify({ ...call(3, 'sum'), method: 'tasks/get', params: { taskId } }), 'response')).at(-1)
    const asked = get('stopped.1')
    await expect.poll(() => sockets.length).toBe(1)
    fleet.list.pop()
    // The silent replica has only been asked for its clock, so the answer is as for an unknown replica.
    expect(await asked).toEqual(await get('nobody.1'))
    expect(await asked).toMatchObject({ id: 3, error: { code: expect.any(Number) } })
  })

  it('has its HTTP+SSE streams refused with 404', async () => {
    const fleet = await behind(2)
    const { send, stream } = await openLegacy(fleet)
    fleet.turnTo(1)
    expect((await send(initialize('2024-11-05'))).status).toBe(202)
    await expect.poll(() => stream.events.find(({ event }) => event === 'message')).toBeDefined()
    await kill(fleet, 0)
    fleet.turnTo(1)
    expect((await send({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404)
  })

  it('has its HTTP+SSE requests answered with outcome_unknown, because a retry may run them twice', async () => {
    const fleet = await behind(2)
    const { send } = await openLegacy(fleet)
    const [{ id, address } = { id: '', address: '' }] = fleet.list
    fleet.list[0] = { id, address: await losing(address) }
    const answers = []
    for (const message of [call(1, 'sum'), [initialize('2024-11-05'), call(2, 'sum')], { jsonrpc: '2.0', method: 'x' }]) {
      fleet.turnTo(1)
      const { status, body } = await send(message).then(async (one) => ({ status: one.status, body: await one.json() }))
      answers.push([status, body.id, body.error.message.split(':')[0]])
    }
    expect(answers).toEqual([
      [504, 1, 'outcome_unknown'],
      [504, undefined, 'outcome_unknown'],
      [503, undefined, 'The replica that holds this session or call cannot be reached. Try again'],
    ])
  })
})

describe('a replica that is frozen', () => {
  it.each(['ours', 'SDK v1'])('fails a call over HTTP+SSE at once, and not with the timeout of the client (%s)', async (name) => {
    const fleet = await behind(2)
    const sum = name === 'ours' ? await ownLegacyClient(fleet.url) : await sdkLegacyClient(fleet.url)
    for (const [at, { id, address }] of fleet.list.entries()) fleet.list[at] = { id, address: await losing(address) }
    // One of two requests reaches the replica without the stream.
    const results = [await Promise.allSettled([sum()]), await Promise.allSettled([sum()])].flat()
    const failures = results.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect(failures).toEqual([expect.stringContaining('outcome_unknown')])
  })
})

const legacyUrl = (url: string) => url.replace('/mcp', '/sse')

async function ownLegacyClient(url: string): Promise<() => Promise<unknown>> {
  const one = await client(legacyUrl(url), { revision: '2024-11-05', limits: { idleMs: 600_000, totalMs: 600_000 } })
  await one.listTools()
  return async () => {
    const result = await one.call('asking__sum', { a: 1, b: 2 })
    if (result.isError) throw new Error(words(result))
  }
}

async function sdkLegacyClient(url: string): Promise<() => Promise<unknown>> {
  const one = new ClientV1({ name: 'other', version: '1.0.0' })
  await one.connect(new SSEClientTransport(new URL(legacyUrl(url))))
  onTestFinished(() => one.close())
  return () => one.callTool({ name: 'asking__sum', arguments: { a: 1, b: 2 } }, undefined, { timeout: 600_000 })
}

/** An HTTP+SSE session with its stream at the first replica. */
async function openLegacy({ url, turnTo }: ReplicaGateways) {
  const { origin } = new URL(url)
  turnTo(0)
  const cut = new AbortController()
  const stream = new Reading(await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream' }, signal: cut.signal }), cut)
  await expect.poll(() => stream.events[0]?.event).toBe('endpoint')
  const address = new URL(stream.events[0]?.data ?? '', origin)
  const send = (message: object) =>
    fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) })
  return { stream, send }
}

/** The address of a server that answers clock requests as the replica does, and breaks each connection after a message. */
async function losing(replica: string): Promise<string> {
  const server = createHttpServer((req, res) =>
    req.resume().once('end', async () => {
      if (req.headers['content-length'] !== '0') return void res.destroy()
      const headers = { 'toolwire-replica': req.headers['toolwire-replica']?.toString() ?? '' }
      const answer = await fetch(`${replica}${req.url}`, { method: 'POST', headers })
      res.writeHead(answer.status, Object.fromEntries(answer.headers)).end()
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
}
