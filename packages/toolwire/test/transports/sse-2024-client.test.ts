// HTTP+SSE of 2024-11-05 in the client.
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Credentials } from '../../src/peer/client-transport.js'
import { sseEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import {
  answerTo,
  carriers,
  dial,
  event,
  events,
  notice,
  RecordingListener,
  request,
  revisionOf,
  type Script,
  scriptedHttpServer,
  until,
} from './http-client-fixture.js'

const first = revisionOf('2024-11-05')
const ask = (id: number) => request(id, 'tools/list', first)

/** Opens a stream with the given endpoint event, and answers messages on it. */
function serving(endpoint: (origin: string) => string, post: Script = (_, response) => response.writeHead(202).end('Accepted')) {
  const streams: ServerResponse[] = []
  const script: Script = (seen, response, count) => {
    if (seen.method === 'GET') {
      streams.push(events(response, `: hello\n\nevent: endpoint\ndata: ${endpoint(`http://${seen.headers.host}`)}\n\n`))
      return
    }
    post(seen, response, count)
    if (response.statusCode < 300 && seen.body.includes('"id"')) streams[0]!.write(event(answerTo(seen.body)))
  }
  return { streams, script }
}

describe.each(carriers)('over %s', (_name, options) => {
  const open = async (endpoint: (origin: string) => string, post?: Script) => {
    const { script, streams } = serving(endpoint, post)
    const server = await scriptedHttpServer(script, '/sse?key=1')
    return { server, streams, ...(await dial(server.url, options, sseEndpoint)) }
  }

  it.each<[string, (origin: string) => string, string]>([
    ['absolute', (origin) => `${origin}/messages?session=1`, '/messages?session=1'],
    ['a path', () => '/messages?session=1', '/messages?session=1'],
    ['relative', () => 'messages', '/messages'],
  ])('SSE1-003 posts to the URL that the server named, %s', async (_how, endpoint, path) => {
    const { server, link, listener } = await open(endpoint)
    link.send(ask(1))
    link.send(notice('notifications/initialized', first))
    expect(await listener.answer(1)).toMatchObject({ result: { ok: true } })
    await until(() => server.seen.length === 3)
    expect(server.seen.map(({ method, path: to }) => [method, to])).toEqual([
      ['GET', '/sse?key=1'],
      ['POST', path],
      ['POST', path],
    ])
    expect(server.seen[0]!.headers.accept).toBe('text/event-stream')
    expect(server.seen[1]!.headers['content-type']).toBe('application/json')
    expect(link.settled(first)).toBeUndefined()
    expect(listener.warnings).toEqual([])
  })

  it('waits for a person who signs in, and then for the server', async () => {
    let isSignedIn = false
    let signIn: (() => void) | undefined
    const credentials: Credentials = {
      headers: () => ({}),
      refused: async () => {
        await new Promise<void>((resolve) => {
          signIn = resolve
        })
        isSignedIn = true
        return true
      },
    }
    const { script } = serving(() => '/messages')
    const server = await scriptedHttpServer((seen, response, count) => {
      if (isSignedIn) script(seen, response, count)
      else response.writeHead(401).end()
    }, '/sse')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const dialled = sseEndpoint(server.url, { ...options, credentials }).dial(new RecordingListener())
    while (!signIn) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(60_000)
    signIn()
    vi.useRealTimers()
    expect((await dialled).shape).toBe('pipe')
  })

  it.each([
    'http://127.0.0.1:1/messages',
    'http://elsewhere.example/',
    'https://127.0.0.1/messages',
    '//elsewhere.example/',
    'file:///etc',
    'http://me@127.0.0.1/',
  ])('SSE1-004 refuses to post to another origin: %s', async (endpoint) => {
    const server = await scriptedHttpServer(serving(() => endpoint).script)
    await expect(sseEndpoint(server.url, options).dial(new RecordingListener())).rejects.toMatchObject({
      name: 'TransportError',
      code: 'redirected',
      message: expect.stringContaining('another origin'),
    })
    await until(() => server.seen[0]!.closed)
  })

  it.each<[string, Script, object]>([
    ['no stream', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), { code: 'garbage' }],
    ['404', (_, response) => response.writeHead(404).end(), { code: 'status', status: 404 }],
    ['an end', (_, response) => events(response, ': bye\n\n').end(), { code: 'broken' }],
    ['too much', (_, response) => events(response, `data: ${'x'.repeat(5_000_000)}`), { code: 'too-large' }],
  ])('fails to connect if the server answers with %s', async (_what, script, why) => {
    const server = await scriptedHttpServer(script)
    await expect(sseEndpoint(server.url, options).dial(new RecordingListener())).rejects.toMatchObject({
      name: 'TransportError',
      ...why,
    })
  })

  it('fails pending requests when the stream ends, and reports the end once', async () => {
    const accepted = vi.fn()
    const { link, listener, streams } = await open(
      () => '/messages',
      (_, response) => response.writeHead(202).end(accepted),
    )
    link.send(ask(1))
    await listener.answer(1)
    streams[0]!.write = () => true
    link.send(ask(2))
    link.send(ask(3))
    link.drop(3)
    await until(() => accepted.mock.calls.length >= 2)
    streams[0]!.end()
    expect(await listener.loss(2)).toMatchObject({ code: 'broken', sent: true })
    expect(listener.ends).toHaveLength(1)
    expect(listener.losses).toHaveLength(1)
  })

  it('reports a refused message', async () => {
    const { link, listener } = await open(
      () => '/messages',
      (_, response) => response.writeHead(413).end(),
    )
    link.send(ask(1))
    link.send(notice('notifications/initialized', first))
    expect(await listener.loss(1)).toMatchObject({ code: 'status', status: 413, sent: false })
    await until(() => listener.warnings.length === 1)
  })

  it('receives server messages, and ignores invalid ones', async () => {
    const { listener, streams } = await open(() => '/messages')
    streams[0]!.write(`data: hello\n\n${event({ jsonrpc: '2.0', id: 'x', method: 'ping' })}`)
    await until(() => listener.messages.length === 1)
    expect(listener.messages[0]!.kind).toBe('request')
    expect(listener.warnings).toHaveLength(1)
  })

  it('closes the connection, and reports nothing more', async () => {
    const { server, link, listener } = await open(
      () => '/messages',
      () => {},
    )
    link.send(ask(1))
    await until(() => server.seen.length === 2)
    listener.messages.length = 0
    await Promise.all([link.close(), link.close()])
    await until(() => server.seen.every(({ closed }) => closed))
    link.send(ask(2))
    expect([listener.losses, listener.ends, listener.warnings]).toEqual([[], [], []])
    expect(server.seen).toHaveLength(2)
  })
})
