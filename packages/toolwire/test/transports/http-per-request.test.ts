// Streamable HTTP of 2026-07-28: no sessions, one response for each request, and cancellation by closing the response.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tool } from '../../src/index.js'
import { type HttpOptions, type Listening, listen } from '../../src/node.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import { rid } from '../garbage.js'
import { call, fixture, initialize, modern, selfDescribing, until } from './fixture.js'
import { both, eventsIn, HttpPeer, mirrored } from './peers.js'

const { app, seen } = fixture()
let listening: Listening
let peer: HttpPeer
beforeAll(async () => {
  listening = await listen(app, { signals: false, limits: { keepAliveMs: 90 } })
  peer = new HttpPeer(listening.url)
})
afterAll(() => listening.close())

const slow = (id: unknown, ms: number) => selfDescribing(call(id, 'slow', { ms }, { _meta: { progressToken: `t-${id}` } }))
const listenFor = (id: unknown) =>
  selfDescribing({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } })

/** Sends a request, and reads its response until the test aborts it. */
async function open(message: object, from = peer) {
  const headers = { 'content-type': 'application/json', accept: both, ...mirrored(message) }
  const response = await from.request('POST', headers, { body: JSON.stringify(message) })
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader()
  const state = { response, text: '', closed: false, cut: () => void reader.cancel() }
  void (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) state.text += part.value
  })()
    .catch(() => {}) // aborted by the test
    .finally(() => {
      state.closed = true
    })
  return Object.assign(state, { messages: () => eventsIn(state.text).flatMap(({ data }) => (data ? [JSON.parse(data)] : [])) })
}

describe('a per-request message', () => {
  it('HTTP-003 ignores sessions', async () => {
    const message = selfDescribing(call(1, 'echo', { text: 'x' }))
    const answer = await peer.post(JSON.stringify(message), message, { 'mcp-session-id': 'junk', 'last-event-id': 'junk' })
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
    const opening = selfDescribing(initialize('2025-11-25'))
    const refused = await peer.post(JSON.stringify(opening), opening)
    expect([refused.status, (await refused.json()).error.code, refused.headers.get('mcp-session-id')]).toEqual([
      404,
      -32601,
      null,
    ])
  })

  it('HTTP-006 SHTTP-005 that is a notification is accepted with 202 and an empty body', async () => {
    for (const message of [
      selfDescribing({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } }),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
    ]) {
      const answer = await peer.post(JSON.stringify(message), message)
      expect([answer.status, await answer.text()]).toEqual([202, ''])
    }
    expect((await peer.post('{"jsonrpc":"2.0","method":7}')).status).toBe(400)
  })

  it('HTTP-009 HTTP-010 HTTP-011 BASE-027 is answered by a separate stream that ends with the response', async () => {
    const replies = await Promise.all(['a', 'b'].map((id) => open(slow(id, 100))))
    await until(() => replies.every((reply) => reply.closed))
    for (const [at, reply] of replies.entries()) {
      const [mine, other] = at === 0 ? ['a', 'b'] : ['b', 'a']
      expect(reply.response.headers.get('content-type')).toBe('text/event-stream')
      expect(reply.response.headers.get('x-accel-buffering')).toBe('no')
      expect(reply.messages().at(-1).id).toBe(mine)
      expect(reply.text).not.toContain(`t-${other}`)
      expect(eventsIn(reply.text).some((event) => event.id !== undefined)).toBe(false)
      expect(reply.messages().filter((message) => message.id !== undefined && message.method !== undefined)).toEqual([])
    }
  })

  it('PKT-007 is also cancelled by a separate POST of the same caller', async () => {
    const { cancelled } = seen
    const reply = await open(slow('by-name', 10_000))
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'by-name' } }
    expect((await peer.post(JSON.stringify(message))).status).toBe(202)
    await until(() => seen.cancelled === cancelled + 1 && reply.closed)
    expect(reply.messages().filter(({ id }) => id !== undefined)).toEqual([])
  })

  it('cannot be cancelled by another caller', async () => {
    const other = fixture()
    const guarded = await listen(other.app, {
      signals: false,
      authenticate: ({ header }) => ({ id: header('authorization') ?? 'none', scopes: [] }),
    })
    const reply = await open(slow('mine', 300), new HttpPeer(guarded.url, fetch, { authorization: 'ann' }))
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'mine' } }
    await new HttpPeer(guarded.url, fetch, { authorization: 'bob' }).post(JSON.stringify(message))
    await until(() => reply.closed)
    expect([other.seen.cancelled, reply.messages().at(-1).id]).toEqual([0, 'mine'])
    await guarded.close()
  })

  it('SUBS-002 SUBS-008 SUBS-009 HTTP-012 for a subscription stays open with keep-alive comments, and ends with a response', async () => {
    const other = await listen(app, { signals: false, limits: { keepAliveMs: 90 } })
    const streams = await Promise.all([1, 'two'].map((id) => open(listenFor(id), new HttpPeer(other.url))))
    await until(() => streams.every((stream) => stream.text.includes('\n: \n')))
    app.tools.add('late', tool({ description: 'Comes late', run: () => 'x' }))
    await until(() => streams.every((stream) => stream.messages().length === 2))
    await other.close()
    for (const [at, stream] of streams.entries()) {
      const id = [1, 'two'][at]
      expect(stream.messages().map(({ method, id }) => method ?? id)).toEqual([
        'notifications/subscriptions/acknowledged',
        'notifications/tools/list_changed',
        id,
      ])
      expect(stream.closed).toBe(true)
    }
    app.tools.remove('late')
  })

  it('SUBS-016 for a subscription ends when the credentials expire', async () => {
    const expiresAt = Date.now() + 1_000
    const short = await listen(fixture().app, {
      signals: false,
      authenticate: () => ({ id: 'ann', scopes: [], expiresAt }),
      limits: { keepAliveMs: 90 },
    })
    const stream = await open(listenFor(1), new HttpPeer(short.url))
    await until(() => stream.closed)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    await short.close()
  })

  it('SUBS-016 for a subscription ends after a sleep of the machine in which the credentials have expired', async () => {
    const expiresAt = Date.now() + 3_600_000
    const authenticate = () => ({ id: 'ann', scopes: [], expiresAt })
    const short = await listen(fixture().app, { signals: false, authenticate, limits: { keepAliveMs: 90 } })
    const stream = await open(listenFor(1), new HttpPeer(short.url))
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(expiresAt)
      await until(() => stream.closed)
    } finally {
      vi.useRealTimers()
    }
    await short.close()
  })

  it('HTTP-025 HTTP-026 has case-insensitive header names and case-sensitive values, without surrounding spaces', async () => {
    const message = selfDescribing(call(1, 'echo', { text: 'x' }))
    const post = async (headers: Record<string, string>) => (await peer.post(JSON.stringify(message), message, headers)).json()
    expect((await post({ 'mcp-name': ' \t echo\t ' })).result.isError).toBe(false)
    for (const name of ['echo\xa0', '\xa0echo', '=?base64?77u/ZWNobw==?='])
      expect((await post({ 'mcp-name': name })).error.code).toBe(-32020)
    expect((await post({ 'mcp-method': 'TOOLS/CALL' })).error.code).toBe(-32020)
  })

  it('BASE-021 in a batch is refused, whatever its headers say', async () => {
    const item = selfDescribing(call(1, 'echo', { text: 'x' }))
    const { ran } = seen
    const answer = await peer.post(JSON.stringify([item]), item)
    expect([answer.status, (await answer.json()).error.code, seen.ran]).toEqual([400, -32600, ran])
  })
})

const known = { authenticate: () => ({ id: 'ann', scopes: [] }) }

/** The ways to serve over HTTP. */
const roads = {
  'node:http': async ({ app }: ReturnType<typeof fixture>, options: HttpOptions) => {
    const { url, close } = await listen(app, { signals: false, ...options })
    return { from: new HttpPeer(url), close }
  },
  'app.fetch': async ({ app }: ReturnType<typeof fixture>, options: HttpOptions) => ({
    from: new HttpPeer('http://localhost/', fetchHandler(app['~application'], options)),
    close: async () => {},
  }),
}

describe.each(Object.entries(roads))('a closed response of %s', (_, serve) => {
  it('HTTP-014 CANC-005 cancels its request, streamed or not', async () => {
    const served = fixture()
    const { seen } = served
    const { from, close } = await serve(served, {})
    const streamed = await open(slow('streamed', 5_000), from)
    streamed.cut()
    await until(() => seen.cancelled === 1)
    const quiet = selfDescribing(call('quiet', 'slow', { ms: 5_000 }))
    const cut = new AbortController()
    const headers = { 'content-type': 'application/json', accept: both, ...mirrored(quiet) }
    void from.request('POST', headers, { body: JSON.stringify(quiet), signal: cut.signal }).catch(() => {}) // aborted below
    await until(() => seen.begun === 2)
    await rid() // unreferenced requests
    cut.abort()
    await until(() => seen.cancelled === 2)
    await close()
  })

  it('SUBS-014 SUBS-015 frees the place of its subscription', async () => {
    const { from, close } = await serve(fixture(), known)
    const streams = await Promise.all(Array.from({ length: 16 }, (_, id) => open(listenFor(id), from)))
    const refused = await open(listenFor(17), from)
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '5'])
    for (const stream of streams) stream.cut()
    const again = await vi.waitUntil(async () => {
      const stream = await open(listenFor(18), from)
      return stream.response.status === 200 && stream
    }, 60_000)
    again.cut()
    await close()
  })
})

it('CANC-005 a response of app.fetch that is never read is cut, which cancels its request', async () => {
  const served = fixture()
  const { from } = await roads['app.fetch'](served, { limits: { queuedBytes: 64 * 1024 } })
  const message = selfDescribing(call('pour', 'pour', { blocks: 40 }, { _meta: { progressToken: 1 } }))
  const response = await from.post(JSON.stringify(message), message)
  await until(() => served.seen.cancelled === 1)
  await expect(response.text()).rejects.toThrow('does not read')
})

describe('connections', () => {
  const raw = (message: object) => {
    const body = JSON.stringify(message)
    const headers = Object.entries({
      host: 'localhost',
      'content-type': 'application/json',
      accept: both,
      ...mirrored(message),
      'content-length': Buffer.byteLength(body),
    })
    return `POST /mcp HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  }

  it('with a slow body or slow headers are answered with 408', async () => {
    const hasty = await listen(fixture().app, { signals: false, timeouts: { headersMs: 200, requestMs: 300 } })
    for (const sent of ['POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', raw(call(1, 'echo')).slice(0, -5)]) {
      const socket = connect(hasty.port, '127.0.0.1', () => socket.write(sent))
      let response = ''
      socket.on('data', (chunk) => {
        response += chunk
      })
      await new Promise((resolve) => socket.on('close', resolve))
      expect(response).toMatch(/^HTTP\/1\.1 408/)
    }
    await hasty.close()
  })

  it('that never read are closed, and others continue', async () => {
    const patient = fixture()
    const strict = await listen(patient.app, {
      signals: false,
      limits: { queuedBytes: 64 * 1024, stallMs: 300, keepAliveMs: 90 },
    })
    // Each response exceeds the kernel buffers of a client that does not read.
    const sockets = [40].map((blocks) => {
      const socket = connect(strict.port, '127.0.0.1', () =>
        socket.write(raw(selfDescribing(call('pour', 'pour', { blocks }, { _meta: { progressToken: 1 } })))),
      )
      socket.on('error', () => {})
      return socket.pause()
    })
    await until(() => patient.seen.cancelled === 1)
    const message = selfDescribing(call('other', 'echo', { text: 'x' }))
    expect((await new HttpPeer(strict.url).post(JSON.stringify(message), message)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await strict.close()
  })

  it('that are opened and closed leave nothing behind', async () => {
    const busy = fixture()
    const server = await listen(busy.app, { signals: false })
    const text = raw(slow('gone', 3_000))
    const before = process.getActiveResourcesInfo().length
    for (let round = 0; round < 100; round++) {
      await Promise.all(
        Array.from(
          { length: 20 },
          () =>
            new Promise<void>((resolve) => {
              const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
              socket.once('data', () => socket.destroy())
              socket.on('close', () => resolve())
            }),
        ),
      )
    }
    await until(() => busy.seen.cancelled === 2_000)
    await until(() => process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length <= before + 2)
    await server.close()
  })
})

it('the tests use the right revision', () => expect(modern).toBe(app['~application'].revisions.perRequest[0]?.version))
