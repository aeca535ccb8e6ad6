// Streamable HTTP of 2025-03-26 to 2025-11-25: sessions and their streams.
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Context, resource, server, tool } from '../../src/index.js'
import { type Listening, listen, MemoryEvents } from '../../src/node.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import { memorySessions, type SessionStore } from '../../src/transports/http/server/sessions/session-store.js'
import { call, fixture, initialize, initialized, until } from './fixture.js'
import { Client, type Event, eventsIn, HttpPeer, type Received } from './peers.js'

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
const { app, seen } = fixture({ secret: 'a secret that two replicas share' })
let listening: Listening
beforeAll(async () => {
  listening = await listen(app, { signals: false })
})
afterAll(() => listening.close())

/** Each value of the header is a caller. */
const byHeader = ({ header }: { header(name: string): string | undefined }) => ({
  id: header('authorization') ?? 'none',
  scopes: [],
})

const open = async (version: string = '2025-11-25', capabilities: object = {}) => {
  const peer = new HttpPeer(listening.url)
  await Client.open(peer, version, capabilities)
  return peer
}

/** Reads a stream, and can abort it. */
class Stream {
  readonly status: number
  #text = ''
  #closed = false
  readonly #cut = new AbortController()

  constructor(response: Response, cut: AbortController) {
    this.status = response.status
    this.#cut = cut
    void this.#read(response)
  }

  static async of(
    peer: HttpPeer,
    method: 'GET' | 'POST',
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Stream> {
    const cut = new AbortController()
    const init = { signal: cut.signal, ...(body && { body: JSON.stringify(body) }) }
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream'
    return new Stream(
      await peer.request(method, { accept, ...(body && { 'content-type': 'application/json' }), ...headers }, init),
      cut,
    )
  }

  get events(): Event[] {
    return eventsIn(this.#text.slice(0, this.#text.lastIndexOf('\n\n') + 2))
  }

  get messages(): { id?: unknown; method?: string; result?: unknown }[] {
    return this.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data as string))
  }

  get text(): string {
    return this.#text
  }

  get closed(): boolean {
    return this.#closed
  }

  cut(): void {
    this.#cut.abort()
  }

  async #read(response: Response): Promise<void> {
    try {
      const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) this.#text += part.value
    } catch {
      // Aborted by the test.
    }
    this.#closed = true
  }
}

const slow = (id: unknown, ms = 200) => call(id, 'slow', { ms }, { _meta: { progressToken: `t-${id}` } })

describe.each(revisions)('a session of %s', (version) => {
  it('SHTTP-028 SHTTP-029 SHTTP-030 has an id of visible characters', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, async () => (await open(version)).session ?? ''))
    for (const token of tokens) expect(token).toMatch(/^[\x21-\x7e]{22,2048}$/)
    expect(new Set(tokens).size).toBe(50)
  })

  it('SHTTP-005 answers messages without a response with 202 and an empty body', async () => {
    const peer = await open(version)
    for (const message of [
      initialized,
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } },
    ]) {
      const answer = await peer.post(JSON.stringify(message))
      expect([answer.status, await answer.text()]).toEqual([202, ''])
    }
  })

  it('SHTTP-048 answers a failed method with 200, and an invalid body with 400', async () => {
    const peer = await open(version)
    expect((await peer.post(JSON.stringify(call(1, 'nope')))).status).toBe(200)
    expect((await peer.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nope' }))).status).toBe(200)
    expect((await peer.post('{')).status).toBe(400)
    expect((await peer.post('{"jsonrpc":"1.0","id":1,"method":"ping"}')).status).toBe(400)
  })

  it('SHTTP-032 SHTTP-033 is required, and is unknown after it has ended', async () => {
    const peer = await open(version)
    const token = peer.session ?? ''
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const post = async (more: Record<string, string>) =>
      (await fetch(listening.url, { method: 'POST', headers: { ...headers, ...more }, body: ping })).status
    expect(await post({})).toBe(400)
    expect(await post({ 'mcp-session-id': 'unheard-of' })).toBe(404)
    expect(await post({ 'mcp-session-id': `${token.slice(0, -2)}AA` })).toBe(404)
    expect(await post({ 'mcp-session-id': token })).toBe(200)
    expect((await peer.request('DELETE')).status).toBe(204)
    expect(await post({ 'mcp-session-id': token })).toBe(404)
    expect((await peer.request('DELETE')).status).toBe(404)
    expect((await peer.request('GET', { accept: 'text/event-stream' })).status).toBe(404)
  })

  it('SHTTP-041 keeps its version', async () => {
    const peer = await open(version)
    const post = async (header: string) =>
      (await peer.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }), {}, { 'mcp-protocol-version': header })).status
    expect(await post(version)).toBe(200)
    expect(await post('1.0')).toBe(400)
    expect(await post(revisions.find((other) => other !== version) as string)).toBe(400)
  })

  it('SHTTP-009 SHTTP-011 SHTTP-023 SHTTP-024 streams a response, and ends the stream with it', async () => {
    const peer = await open(version)
    const streams = await Promise.all([1, 2].map((id) => Stream.of(peer, 'POST', { body: slow(id) })))
    await until(() => streams.every((stream) => stream.closed))
    const ids = streams.flatMap((stream) => stream.events.map((event) => event.id))
    expect(new Set(ids).size).toBe(ids.length)
    for (const [at, { events, messages }] of streams.entries()) {
      expect(events[0]?.data === '').toBe(version === '2025-11-25')
      expect(messages.at(-1)?.id).toBe(at + 1)
      expect(new Set(events.map(({ id }) => id?.split('-')[0])).size).toBe(1)
    }
  })

  it('SHTTP-010 SHTTP-016 SHTTP-026 continues without its client, which finds the missed events', async () => {
    const peer = await open(version)
    const finished = seen.finished
    const cancelled = seen.cancelled
    const [lost, other] = await Promise.all([
      Stream.of(peer, 'POST', { body: slow('lost', 300) }),
      Stream.of(peer, 'POST', { body: slow('other', 300) }),
    ])
    await until(() => lost.messages.length > 0)
    const last = lost.events.at(-1)?.id as string
    lost.cut()
    await until(() => seen.finished === finished + 2)
    expect(seen.cancelled).toBe(cancelled)
    await until(() => other.closed)
    const back = await Stream.of(peer, 'GET', { headers: { 'last-event-id': last } })
    await until(() => back.closed)
    expect(back.messages.at(-1)).toMatchObject({ id: 'lost', result: { isError: false } })
    expect(back.text).not.toContain('t-other')
    expect(back.events.every(({ id }) => id !== last)).toBe(true)
  })

  it('resumes a response that is still in progress', async () => {
    const peer = await open(version)
    const lost = await Stream.of(peer, 'POST', { body: slow('lost', 400) })
    await until(() => lost.messages.length > 0)
    lost.cut()
    const back = await Stream.of(peer, 'GET', { headers: { 'last-event-id': lost.events.at(-1)?.id as string } })
    await until(() => back.closed)
    expect(back.messages.map(({ id, method }) => id ?? method)).toEqual(['notifications/progress', 'lost'])
  })

  it('SHTTP-018 SHTTP-020 SHTTP-021 SHTTP-022 announces changes once, on the listening stream', async () => {
    const peer = await open(version)
    const streams = [await Stream.of(peer, 'GET'), await Stream.of(peer, 'GET')]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const reply = await Stream.of(peer, 'POST', { body: slow('during', 200) })
    app.tools.add('late', tool({ description: 'Comes late', run: () => 'x' }))
    const announcementCounts = () =>
      streams.map(({ messages }) => messages.filter(({ method }) => method === 'notifications/tools/list_changed').length)
    await until(() => announcementCounts().some((count) => count > 0) && reply.closed)
    expect(announcementCounts()).toEqual([0, 1])
    expect(reply.text).not.toContain('list_changed')
    expect(streams.flatMap(({ messages }) => messages.filter(({ method }) => method === undefined))).toEqual([])
    app.tools.remove('late')
    await until(() => announcementCounts()[1] === 2)
    for (const stream of streams) stream.cut()
  })

  it('keeps the latest announcements for a client that is not listening yet', async () => {
    const peer = await open(version)
    app.tools.add('late', tool({ description: 'Comes late', run: () => 'x' }))
    await new Promise((resolve) => setTimeout(resolve, 150))
    const stream = await Stream.of(peer, 'GET')
    await until(() => stream.messages.length > 0)
    expect(stream.messages.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
    stream.cut()
    app.tools.remove('late')
  })

  it('SHTTP-027 finds no events of other sessions, and no invalid ids', async () => {
    const mine = await open(version)
    const foreign = await Stream.of(await open(version), 'POST', { body: slow(1, 30) })
    await until(() => foreign.closed)
    for (const id of [foreign.events[0]?.id as string, 'unheard-of', '-', '1-1', `${foreign.events[0]?.id}999`]) {
      expect((await mine.request('GET', { accept: 'text/event-stream', 'last-event-id': id })).status).toBe(400)
    }
  })

  it.each([
    ['text/event-stream', 200],
    ['*/*', 200],
    ['text/*', 200],
    ['application/json', 406],
    ['text/event-stream;q=0, */*', 406],
    ['*/*;q=0', 406],
  ])('SHTTP-020 GET with Accept %s: %i', async (accept, status) => {
    const mine = await open(version)
    const response = await mine.request('GET', { accept })
    expect(response.status).toBe(status)
    await response.body?.cancel()
  })

  it('PKT-007 cancels the request that a separate POST names, and sends nothing more about it', async () => {
    const peer = await open(version)
    const { cancelled } = seen
    const reply = await Stream.of(peer, 'POST', { body: slow('stop', 2_000) })
    await until(() => reply.messages.length > 0)
    const answer = await peer.post(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'stop' } }),
    )
    expect(answer.status).toBe(202)
    await until(() => seen.cancelled === cancelled + 1 && reply.closed)
    expect(reply.messages.filter(({ id }) => id !== undefined)).toEqual([])
  })
})

describe('sessions', () => {
  it('SHTTP-013 SHTTP-014 lets the client of a long call reconnect', async () => {
    const { app: patient } = fixture()
    const application = patient['~application']
    const hanging = {
      ...application,
      revisions: application.revisions,
      sealer: application.sealer,
      join: () => {},
      leave: () => {},
      drain: async () => {},
      receive: ((message, conversation, line) => {
        if (message.kind === 'request' && message.request.method === 'tools/call') line.hangUp?.(70)
        return application.receive(message, conversation, line)
      }) as typeof application.receive,
    }
    const peer = new HttpPeer('http://localhost/', fetchHandler(hanging))
    await Client.open(peer, '2025-11-25')
    const reply = await Stream.of(peer, 'POST', { body: slow(1, 100) })
    await until(() => reply.closed)
    expect(reply.events.map(({ data, retry }) => [data, retry])).toEqual([
      ['', undefined],
      [undefined, '70'],
    ])
    const back = await Stream.of(peer, 'GET', { headers: { 'last-event-id': reply.events[0]?.id as string } })
    await until(() => back.closed)
    expect(back.messages.filter(({ id }) => id === 1)).toHaveLength(1)
  })

  it('BASE-026 asks the client on the stream of its call, and receives the answer by another POST', async () => {
    const peer = await open('2025-11-25', { elicitation: {} })
    const reply = await Stream.of(peer, 'POST', { body: call('asks', 'confirm') })
    await until(() => reply.messages.length > 0)
    const question = reply.messages[0] as { id: unknown; method: string }
    expect(question.method).toBe('elicitation/create')
    expect(
      (await peer.post(JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { yes: true } } })))
        .status,
    ).toBe(202)
    await until(() => reply.closed)
    expect(reply.messages.at(-1)).toMatchObject({ id: 'asks', result: { content: [{ text: 'yes' }] } })
  })

  it('TASKL-017 asks all questions of a task when the client waits for the result, even without a listening stream', async () => {
    const yes = z.object({ yes: z.boolean() })
    const sure = tool({
      description: 'Asks twice',
      longRunning: 'optional',
      run: async (_, ctx) => {
        const [one, two] = await Promise.all([ctx.ask('one', 'Sure?', yes), ctx.ask('two', 'Really?', yes)])
        return `${one.yes} ${two.yes}`
      },
    })
    const asking = await listen(server({ name: 'asks', version: '1', tools: { sure } }), { signals: false })
    const peer = new HttpPeer(asking.url)
    await Client.open(peer, '2025-11-25', { elicitation: {} })
    const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: method, method, params })
    const say = async (method: string, params: object) =>
      (await peer.say(JSON.stringify(request(method, params)), 'response')).at(-1)?.result as Received
    const { task } = (await say('tools/call', { name: 'sure', task: {} })) as { task: { taskId: string } }
    const params = { taskId: task.taskId }
    await vi.waitUntil(async () => (await say('tasks/get', params)).status === 'input_required', 60_000)
    const reply = await Stream.of(peer, 'POST', { body: request('tasks/result', params) })
    await until(() => reply.messages.length === 2)
    expect(reply.messages.map(({ method }) => method)).toEqual(['elicitation/create', 'elicitation/create'])
    for (const { id } of reply.messages)
      await peer.post(JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'accept', content: { yes: id === 2 } } }))
    await until(() => reply.closed)
    expect(reply.messages.at(-1)).toMatchObject({ id: 'tasks/result', result: { content: [{ text: 'false true' }] } })
    await asking.close()
  })

  it('are valid at every replica with the same secret, and at no other', async () => {
    const peer = await open('2025-06-18', { elicitation: {} })
    const replica = fetchHandler(fixture({ secret: 'a secret that two replicas share' }).app['~application'])
    const stranger = fetchHandler(fixture({ secret: 'another secret altogether' }).app['~application'])
    const at = (handler: typeof replica, message: object) => {
      const there = new HttpPeer('http://localhost/', handler)
      there.session = peer.session
      return there.post(JSON.stringify(message), {}, { 'mcp-protocol-version': '2025-06-18' })
    }
    const answer = await at(replica, call(1, 'echo', { text: 'over here' }))
    expect((await answer.json()).result.content[0].text).toBe('over here')
    expect((await at(stranger, call(1, 'echo', { text: 'x' }))).status).toBe(404)
  })

  it('SHTTP-037 SHTTP-038 belong to their caller, whose credentials are checked for each request', async () => {
    const handler = fetchHandler(fixture().app['~application'], {
      authenticate: ({ header }) => {
        const [id, ...scopes] = (header('authorization') ?? '').split(' ').slice(1)
        return id ? { id, scopes } : undefined
      },
    })
    const peer = new HttpPeer('http://localhost/', handler, { authorization: 'Bearer ann write' })
    await Client.open(peer, '2025-11-25')
    const as = async (authorization: string) => peer.post(JSON.stringify(call(1, 'who')), {}, { authorization })
    expect((await as('')).status).toBe(401)
    expect((await as('Bearer bob')).status).toBe(404)
    expect((await (await as('Bearer ann read')).json()).result.content[0].text).toBe('ann read')
    expect((await (await as('Bearer ann write')).json()).result.content[0].text).toBe('ann write')
  })

  /** A server that takes the scopes of a caller from the token, with calls that wait for a signal. */
  function scoped(more: object = {}) {
    const waiting: (() => void)[] = []
    const app = server({
      name: 'scoped',
      version: '1.0.0',
      tools: {
        wait: tool({ run: () => new Promise<string>((resolve) => waiting.push(() => resolve('waited'))) }),
        who: tool({ run: (_, ctx) => ctx.caller.scopes.join(' ') }),
      },
    })
    const handler = fetchHandler(app['~application'], {
      authenticate: ({ header }) => ({ id: 'ann', scopes: [header('authorization') ?? ''] }),
      ...more,
    })
    const peer = new HttpPeer('http://localhost/', handler, { authorization: 'open' })
    const as = async (authorization: string, message: object) =>
      (await peer.post(JSON.stringify(message), {}, { authorization })).json()
    return { peer, as, waiting }
  }

  it('stay ended, however many sessions another caller ends', async () => {
    const handler = fetchHandler(fixture({ secret: 'one' }).app['~application'], {
      authenticate: byHeader,
      limits: { sessions: 4 },
    })
    const of = (authorization: string) => new HttpPeer('http://localhost/', handler, { authorization })
    const ada = of('ada')
    await Client.open(ada, '2025-11-25')
    expect((await ada.request('DELETE')).status).toBe(204)
    for (let n = 0; n < 10; n++) {
      const eve = of('eve')
      await Client.open(eve, '2025-11-25')
      expect((await eve.request('DELETE')).status).toBe(204)
    }
    expect((await ada.post(JSON.stringify(call(1, 'echo')))).status).toBe(404)
  })

  it('SHTTP-038 keep the original scopes for a request of a batch that begins late', async () => {
    const { peer, as, waiting } = scoped()
    await Client.open(peer, '2025-03-26')
    const batch = as('read', [...[1, 2, 3, 4].map((id) => call(id, 'wait')), call(5, 'who')])
    await until(() => waiting.length === 4)
    expect((await as('write', call(6, 'who'))).result.content[0].text).toBe('write')
    for (const go of waiting) go()
    expect((await batch).map(({ result }: { result: { content: { text: string }[] } }) => result.content[0]?.text)).toEqual([
      ...Array.from({ length: 4 }, () => 'waited'),
      'read',
    ])
  })

  it('SHTTP-038 keep the original scopes for a request that waits for the session store', async () => {
    const store = memorySessions(10)
    const reading: (() => void)[] = []
    let isSlow = false
    const read: SessionStore['read'] = async (id) => {
      if (isSlow) await new Promise<void>((resolve) => reading.push(resolve))
      return store.read(id)
    }
    const { peer, as } = scoped({ sessions: { ...store, read } })
    await Client.open(peer, '2025-11-25')
    isSlow = true
    const first = as('read', call(1, 'who'))
    const second = as('write', call(2, 'who'))
    await until(() => reading.length === 2)
    for (const go of reading) go()
    expect((await first).result.content[0].text).toBe('read')
    expect((await second).result.content[0].text).toBe('write')
  })

  it('limit the listening streams, in total and for each caller', async () => {
    const authenticate = ({ header }: { header(name: string): string | undefined }) => ({
      id: header('authorization') ?? 'none',
      scopes: [],
      // Anonymous callers that count as one share the limit of one.
      ...(header('authorization') === 'ann' && { anonymous: true, countsAsOne: true }),
    })
    const limited = await listen(fixture().app, { signals: false, authenticate, limits: { streams: 3, streamsEach: 2 } })
    const [ann, bob] = [
      new HttpPeer(limited.url, fetch, { authorization: 'ann' }),
      new HttpPeer(limited.url, fetch, { authorization: 'bob' }),
    ]
    for (const peer of [ann, bob]) await Client.open(peer, '2025-11-25')
    const [first] = [await Stream.of(ann, 'GET'), await Stream.of(ann, 'GET')]
    const refused = await ann.request('GET', { accept: 'text/event-stream' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await Stream.of(bob, 'GET')).status).toBe(200)
    expect((await bob.request('GET', { accept: 'text/event-stream' })).status).toBe(429)
    first?.cut()
    await vi.waitUntil(async () => (await Stream.of(ann, 'GET')).status === 200, 60_000)
    await limited.close()
  })

  it('end their streams when the credentials expire, and send keep-alive comments on quiet ones', async () => {
    const expiresAt = Date.now() + 3_600_000
    const short = await listen(fixture().app, {
      signals: false,
      authenticate: () => ({ id: 'ann', scopes: [], expiresAt }),
      limits: { keepAliveMs: 90 },
    })
    const peer = new HttpPeer(short.url)
    await Client.open(peer, '2025-11-25')
    const stream = await Stream.of(peer, 'GET')
    await until(() => stream.text.includes(': \n'))
    expect(stream.closed).toBe(false)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(expiresAt)
      await until(() => stream.closed)
      expect((await peer.request('GET', { accept: 'text/event-stream' })).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
    await short.close()
  })

  it('end the stream for the result of a task when the credentials expire, and no stream of a plain call', async () => {
    const run = async (_: unknown, ctx: Context) => String(await ctx.ask('sure', 'Sure?', z.object({})))
    const sure = tool({ description: 'Asks', longRunning: 'optional', run })
    const expiresAt = Date.now() + 3_600_000
    const short = await listen(server({ name: 'asks', version: '1', tools: { sure } }), {
      signals: false,
      authenticate: () => ({ id: 'ann', scopes: [], expiresAt }),
      limits: { keepAliveMs: 90 },
    })
    const peer = new HttpPeer(short.url)
    await Client.open(peer, '2025-11-25', { elicitation: {} })
    const plain = await Stream.of(peer, 'POST', { body: call(1, 'sure') })
    const [created] = await peer.say(JSON.stringify(call(2, 'sure', {}, { task: {} })), 'response')
    const { taskId } = created?.result?.task as { taskId: string }
    const body = { jsonrpc: '2.0', id: 3, method: 'tasks/result', params: { taskId } }
    const result = await Stream.of(peer, 'POST', { body })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await until(() => result.text.includes(': \n'))
      expect(result.closed).toBe(false)
      vi.setSystemTime(expiresAt)
      await until(() => result.closed)
      expect(plain.closed).toBe(false)
    } finally {
      vi.useRealTimers()
    }
    for (const [question] of [plain.messages, result.messages])
      await peer.post(JSON.stringify({ jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content: {} } }))
    await until(() => plain.closed)
    expect(plain.messages.at(-1)).toMatchObject({ id: 1, result: { isError: false } })
    await short.close()
  })

  it('are reopened after a long idle time', async () => {
    const peer = new HttpPeer(
      'http://localhost/',
      fetchHandler(fixture().app['~application'], { limits: { sessions: 1, sessionIdleMs: 1 } }),
    )
    await Client.open(peer, '2025-11-25')
    const session = peer.session
    for (let n = 0; n < 3; n++) {
      peer.session = undefined
      await peer.post(JSON.stringify(initialize('2025-06-18')))
    }
    peer.session = session
    const answer = await peer.post(JSON.stringify(call(1, 'echo', { text: 'again' })))
    expect((await answer.json()).result.content[0].text).toBe('again')
  })

  it('in a flood evict each other, and end no call of another caller', async () => {
    const calls = { begun: 0, cancelled: 0 }
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const run = async (_: unknown, { signal }: Context) => {
      calls.begun++
      signal.addEventListener('abort', () => calls.cancelled++)
      await released
      return 'done'
    }
    const crowded = server({ name: 'crowded', version: '1', tools: { wait: tool({ description: 'Waits', run }) } })
    const handle = fetchHandler(crowded['~application'], {
      limits: { sessions: 2 },
      authenticate: ({ header }) => ({ id: header('authorization') ?? 'none', scopes: [] }),
    })
    const peerOf = (authorization: string) => new HttpPeer('http://localhost/', handle, { authorization })
    const begin = async (peer: HttpPeer) => {
      await Client.open(peer, '2025-11-25')
      const begun = calls.begun
      const answer = peer.say(JSON.stringify(call(1, 'wait')), 'response')
      await until(() => calls.begun > begun)
      return answer.then((messages) => messages.at(-1))
    }
    const openAs = (name: string) => peerOf(name).post(JSON.stringify(initialize('2025-11-25')))
    const first = begin(peerOf('ann'))
    await until(() => calls.begun === 1)
    for (let n = 0; n < 5; n++) expect((await openAs('bob')).status).toBe(200)
    const second = begin(peerOf('ann'))
    await until(() => calls.begun === 2)
    const refused = await openAs('bob')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(calls.cancelled).toBe(0)
    // A caller with sessions loses one of its own.
    expect((await openAs('ann')).status).toBe(200)
    expect(calls.cancelled).toBe(1)
    release()
    expect(await second).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    await first
    expect((await openAs('bob')).status).toBe(200)
  })

  it('of one caller, however many, end no idle session of another, which keeps its subscriptions', async () => {
    const uri = 'note://1'
    const notes = server({ name: 'notes', version: '1', resources: { note: resource({ uri, read: () => 'x' }) } })
    const handle = fetchHandler(notes['~application'], {
      limits: { sessions: 20 },
      authenticate: ({ header }) => ({ id: header('authorization') ?? 'none', scopes: [] }),
    })
    const peerOf = (authorization: string) => new HttpPeer('http://localhost/', handle, { authorization })
    const ada = peerOf('ada')
    await Client.open(ada, '2025-11-25')
    await ada.say(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }), 'response')
    for (let n = 0; n < 100; n++) expect((await peerOf('eve').post(JSON.stringify(initialize('2025-11-25')))).status).toBe(200)
    // Callers that come later push out the sessions of the same caller, too.
    for (const name of ['bob', 'ann']) await Client.open(peerOf(name), '2025-11-25')
    notes.resources.updated(uri)
    const stream = await Stream.of(ada, 'GET')
    await until(() => stream.messages.length > 0)
    expect(stream.messages).toMatchObject([{ method: 'notifications/resources/updated', params: { uri } }])
    stream.cut()
  })

  it('end after a day at the latest', async () => {
    const peer = new HttpPeer('http://localhost/', fetchHandler(fixture().app['~application'], { limits: { sessionMs: 500 } }))
    await Client.open(peer, '2025-11-25')
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await expect.poll(async () => (await peer.post(ping)).status).toBe(404)
  })

  it('refuse further requests during shutdown, and let a running call end', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let begun = 0
    const run = async () => {
      begun++
      await released
      return 'done'
    }
    const leaving = server({ name: 'leaving', version: '1', tools: { wait: tool({ description: 'Waits', run }) } })
    const closing = await listen(leaving, { signals: false })
    /** A request whose last bytes are delayed. */
    const half = async (message: object, session?: string) => {
      const socket = connect(closing.port, '127.0.0.1')
      const body = JSON.stringify(message)
      const mine = session === undefined ? '' : `Mcp-Session-Id: ${session}\r\n`
      const accept = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n'
      const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${closing.port}\r\n${accept}${mine}Content-Length: ${body.length}\r\n\r`
      await new Promise<void>((resolve) => socket.write(head, () => resolve()))
      let response = ''
      socket.setEncoding('utf8').on('data', (text) => (response += text))
      const whole = new Promise<string>((resolve) => socket.on('close', () => resolve(response)))
      return () => {
        socket.write(`\n${body}`)
        return whole
      }
    }
    const peer = new HttpPeer(closing.url)
    await Client.open(peer, '2025-11-25')
    const [opening, calling] = [await half(initialize('2025-11-25')), await half(call(2, 'wait'), peer.session)]
    const running = peer.say(JSON.stringify(call(1, 'wait')), 'response')
    await until(() => begun === 1)
    const closed = closing.close()
    const refused = await opening()
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(refused).toMatch(/\r\nconnection: close\r\n/i)
    const call2 = await calling()
    expect(call2).toMatch(/^HTTP\/1\.1 503 /)
    expect(call2).toContain('"id":2')
    release()
    expect((await running).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    await closed
    expect(begun).toBe(1)
  })

  it('end their listening streams at shutdown', async () => {
    const closing = await listen(fixture().app, { signals: false })
    const peer = new HttpPeer(closing.url)
    await Client.open(peer, '2025-11-25')
    const stream = await Stream.of(peer, 'GET')
    await closing.close()
    await until(() => stream.closed)
    await new Promise<void>((resolve) =>
      httpRequest(closing.url)
        .on('error', () => resolve())
        .end(),
    )
  })
})

describe('stored events', () => {
  it('SHTTP-027 are limited in number and size', () => {
    const events = new MemoryEvents({ streamBytes: 10_000, sessionBytes: 20_000, totalBytes: 50_000 })
    for (let seq = 1; seq <= 100_000; seq++)
      events.append(`session-${seq % 7}`, `stream-${seq % 3}`, { seq, data: 'x'.repeat(100) })
    const kept = Array.from({ length: 7 }, (_, session) =>
      [0, 1, 2].map((stream) => events.after(`session-${session}`, `stream-${stream}`, 100_000 - 200)?.length ?? 0),
    ).flat()
    expect(kept.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(250)
    expect(events.after('session-1', 'stream-1', 1)).toBeUndefined()
    events.forget('session-1')
    expect(events.after('session-1', 'stream-1', 99_999)).toBeUndefined()
  })

  it('of any streams in any order fill the limit, and never exceed it', () => {
    const limits = { streamBytes: 2_000, sessionBytes: 5_000, totalBytes: 9_000 }
    const event = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 900 }))
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 120 }), (sent) => {
        const events = new MemoryEvents(limits)
        const last = new Map<string, number>()
        const kept = (session: number, stream: number) => {
          const seq = last.get(`${session} ${stream}`) ?? 0
          const from = Array.from({ length: seq }, (_, at) => at).find((at) => events.after(`${session}`, `${stream}`, at))
          return from === undefined ? [] : (events.after(`${session}`, `${stream}`, from) ?? [])
        }
        for (const [session, stream, size] of sent) {
          const seq = (last.get(`${session} ${stream}`) ?? 0) + 1
          last.set(`${session} ${stream}`, seq)
          events.append(`${session}`, `${stream}`, { seq, data: 'x'.repeat(size) })
          // The latest event is kept.
          expect(kept(session, stream).at(-1)?.seq).toBe(seq)
        }
        const bytes = (session: number) =>
          Array.from({ length: 13 }, (_, stream) => kept(session, stream))
            .filter((some) => some.length > 0)
            .reduce((sum, some) => sum + 400 + some.reduce((own, { data }) => own + data.length + 100, 0), 0)
        const each = [0, 1, 2, 3, 4].map(bytes)
        expect(Math.max(...each)).toBeLessThanOrEqual(limits.sessionBytes)
        expect(each.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(limits.totalBytes)
      }),
    )
  })

  it('of a caller with no more than its part of the room are kept, whatever others send', () => {
    const totalBytes = 12_000
    const most = totalBytes / 3
    const event = fc.record({
      caller: fc.constantFrom('eve', 'eve', 'eve', 'eve', 'ada', 'bob'),
      session: fc.integer({ min: 0, max: 3 }),
      stream: fc.integer({ min: 0, max: 1 }),
      size: fc.integer({ min: 0, max: 900 }),
    })
    fc.assert(
      fc.property(fc.array(event, { minLength: 60, maxLength: 200 }), (sent) => {
        const events = new MemoryEvents({ totalBytes })
        const lasts = new Map<string, { readonly at: readonly [string, string]; seq: number }>()
        const sums = new Map<string, number>()
        for (const { caller, session, stream, size } of sent) {
          const at = [`${caller} ${session}`, `${stream}`] as const
          const last = lasts.get(at.join()) ?? { at, seq: 0 }
          const sum = (sums.get(caller) ?? 0) + size + 100 + (last.seq === 0 ? 400 : 0)
          if (caller !== 'eve' && sum > most) continue
          lasts.set(at.join(), last)
          sums.set(caller, sum)
          events.append(...at, { seq: ++last.seq, data: 'x'.repeat(size) }, caller)
          for (const { at, seq } of lasts.values()) if (!at[0].startsWith('eve')) expect(events.after(...at, 0)).toHaveLength(seq)
        }
      }),
    )
  })

  it('SHTTP-027 of a caller are resumed, however many another caller has received since', async () => {
    const { app } = fixture()
    const events = new MemoryEvents({ totalBytes: 20_000 })
    const handler = fetchHandler(app['~application'], { authenticate: byHeader, events })
    const of = (authorization: string) => new HttpPeer('http://localhost/', handler, { authorization })
    const ada = of('ada')
    const callOnce = async (peer: HttpPeer, message: number) => {
      const response = await peer.post(JSON.stringify(call(message, 'slow', { ms: 1 }, { _meta: { progressToken: message } })))
      return eventsIn(await response.text())
    }
    await Client.open(ada, '2025-11-25')
    const received = await callOnce(ada, 1)
    expect(received.length).toBeGreaterThan(1)
    for (let session = 0; session < 10; session++) {
      const eve = of('eve')
      await Client.open(eve, '2025-11-25')
      for (let n = 1; n <= 10; n++) await callOnce(eve, n)
    }
    const again = await ada.request('GET', { accept: 'text/event-stream', 'last-event-id': received[0]?.id ?? '' })
    expect(eventsIn(await again.text())).toEqual(received.slice(1))
  })

  it('of very many streams cost no more time each than those of few', () => {
    const events = new MemoryEvents({ sessionBytes: 1_000_000_000, totalBytes: 1_000_000_000 })
    // Summing over all streams for each event would take minutes.
    for (let stream = 0; stream < 40_000; stream++) events.append('s', `stream ${stream}`, { seq: 1, data: '' })
    expect(events.after('s', 'stream 0', 0)).toHaveLength(1)
  })

  it('are returned after a given one, or reported as partly lost', () => {
    const events = new MemoryEvents({ streamBytes: 350 })
    for (let seq = 1; seq <= 3; seq++) events.append('s', 'a', { seq, data: 'x' })
    expect(events.after('s', 'a', 1)?.map(({ seq }) => seq)).toEqual([2, 3])
    expect(events.after('s', 'b', 1)).toBeUndefined()
    events.append('s', 'a', { seq: 4, data: 'x' })
    expect(events.after('s', 'a', 0)).toBeUndefined()
    expect(events.after('s', 'a', 1)?.map(({ seq }) => seq)).toEqual([2, 3, 4])
  })
})
