// Sessions, listening streams, and the resumption of streams.
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HttpEndpointOptions } from '../../src/transports/http/client/http-endpoint.js'
import { expectAfter, expectWithin } from '../soak.js'
import {
  answerTo,
  carriers,
  dial,
  event,
  events,
  initialize,
  json,
  modern,
  notice,
  pause,
  request,
  revisionOf,
  type Script,
  scriptedHttpServer,
  sessions,
  until,
} from './http-client-fixture.js'

const session = 'a-secret-session'
const legacy = ['2025-03-26', '2025-06-18', '2025-11-25'].map(revisionOf)

/** Opens a session, and leaves all other requests to the script. */
const withSession =
  (script: Script): Script =>
  (seen, response, count) => {
    if (seen.method === 'DELETE') response.writeHead(204).end()
    else if (seen.body.includes('"initialize"')) json(response, answerTo(seen.body), { 'Mcp-Session-Id': session })
    else if (seen.body.includes('notifications/')) response.writeHead(202).end()
    else script(seen, response, count)
  }

const refusing: Script = (seen, response) =>
  seen.method === 'GET' ? response.writeHead(405).end() : json(response, answerTo(seen.body))

async function opened(script: Script, options: HttpEndpointOptions, revision = sessions) {
  const server = await scriptedHttpServer(withSession(script))
  const { link, listener } = await dial(server.url, options)
  link.send(initialize())
  await listener.answer(1)
  link.send(notice('notifications/initialized', revision))
  return { server, link, listener, settled: link.settled(revision) ?? Promise.resolve() }
}

describe.each(carriers)('over %s', (_name, options) => {
  it.each(
    legacy,
  )('SHTTP-031 SHTTP-019 SHTTP-035 SHTTP-039 sends its session id in every later request: $version', async (revision) => {
    const { server, link, listener, settled } = await opened(refusing, options, revision)
    await settled
    link.send(request(2, 'tools/list', revision))
    await listener.answer(2)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'POST', 'DELETE'])
    const [first, ...later] = server.seen.map(({ headers }) => headers)
    expect(first!['mcp-session-id']).toBeUndefined()
    expect(first!['mcp-protocol-version']).toBeUndefined()
    for (const headers of later) {
      expect(headers['mcp-session-id']).toBe(session)
      expect(headers['mcp-protocol-version']).toBe(revision.http.versionHeader ? revision.version : undefined)
    }
    expect(server.seen[2]!.headers.accept).toBe('text/event-stream')
    expect([listener.losses, listener.warnings]).toEqual([[], []])
  })

  it('has no sessions if the revision has none', async () => {
    const server = await scriptedHttpServer(withSession(refusing))
    const { link, listener } = await dial(server.url, options)
    link.send(initialize())
    await listener.answer(1)
    expect(link.settled(modern)).toBeUndefined()
    link.send(request(2))
    await listener.answer(2)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(server.seen[1]!.headers['mcp-session-id']).toBeUndefined()
  })

  it('SHTTP-035 closes even if the server refuses to end the session, or does not answer', async () => {
    for (const answer of ['405', 'silence'] as const) {
      const server = await scriptedHttpServer((seen, response) => {
        if (seen.method === 'DELETE') return void (answer === '405' && response.writeHead(405).end())
        if (seen.method === 'GET') return response.writeHead(405).end()
        json(response, answerTo(seen.body), { 'mcp-session-id': session })
      })
      const { link, listener } = await dial(server.url, options)
      link.send(initialize())
      await listener.answer(1)
      await link.settled(sessions)
      const start = performance.now()
      await link.close()
      expectWithin(performance.now() - start, answer === '405' ? 1_000 : 3_000)
      expect(server.seen.at(-1)!.method).toBe('DELETE')
    }
  })

  it('notices that the session is gone, and starts the next handshake without it', async () => {
    const { link, listener, server, settled } = await opened((seen, response) => {
      if (seen.method === 'GET') response.writeHead(405).end()
      else json(response, { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }, {}, 404)
    }, options)
    await settled
    link.send(request(2, 'tools/list', sessions))
    expect(await listener.loss(2)).toMatchObject({ code: 'session-gone', sent: false, status: 404 })
    link.send(initialize(3))
    await listener.answer(3)
    expect(server.seen.at(-1)!.headers['mcp-session-id']).toBeUndefined()
  })

  it('does not take a 404 as the end of a session if it has none', async () => {
    const server = await scriptedHttpServer((_, response) => response.writeHead(404).end())
    const { link, listener } = await dial(server.url, options)
    link.send(request(2, 'tools/list', sessions))
    expect(await listener.loss(2)).toMatchObject({ code: 'status', status: 404 })
  })

  it('SHTTP-036 never reveals the session id in messages or errors', async () => {
    const statuses = [400, 404, 500, 302]
    const { link, listener, settled } = await opened((seen, response) => {
      if (seen.method === 'GET') return response.writeHead(405).end()
      const status = statuses[JSON.parse(seen.body).id - 2]
      if (status === undefined) return response.destroy()
      response.writeHead(status, { location: 'http://elsewhere.example/' }).end()
    }, options)
    await settled
    for (let id = 2; id < 7; id++) {
      link.send(request(id, 'tools/list', sessions))
      await listener.loss(id)
    }
    link.send(notice('notifications/cancelled', sessions))
    expect(listener.losses).toHaveLength(5)
    expect(listener.everything).not.toContain(session)
  })

  it('refuses a session id that is invalid in a header', async () => {
    const server = await scriptedHttpServer((seen, response) =>
      json(response, answerTo(seen.body), { 'mcp-session-id': 'two words' }),
    )
    const { link, listener } = await dial(server.url, options)
    link.send(initialize())
    const why = await listener.loss(1)
    expect(why.code).toBe('garbage')
    expect(listener.everything).not.toContain('two words')
  })

  it('SHTTP-019 receives server messages on a listening stream, and resumes it', async () => {
    const say = (n: number) =>
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { n } }, { id: `e${n}`, retry: 50 })
    const gets: { last: unknown; at: number }[] = []
    const { listener, settled, link } = await opened((seen, response) => {
      gets.push({ last: seen.headers['last-event-id'], at: performance.now() })
      const stream = events(response, say(gets.length))
      if (gets.length < 3) stream.end()
    }, options)
    await settled
    await until(() => listener.messages.filter(({ kind }) => kind === 'notification').length === 3)
    expect(gets.map(({ last }) => last)).toEqual([undefined, 'e1', 'e2'])
    expectAfter(gets[1]!.at - gets[0]!.at, 50)
    await link.close()
    await pause(150)
    expect(gets).toHaveLength(3)
  })

  it('reconnects to such a stream with increasing delays, unless the server names a time', async () => {
    const gets: number[] = []
    const { settled } = await opened(
      (_, response) => {
        gets.push(performance.now())
        events(response, ': hello\n\n').end()
      },
      { ...options, random: () => 0 },
    )
    await settled
    await until(() => gets.length === 3)
    expectAfter(gets[1]! - gets[0]!, 700)
    expectAfter(gets[2]! - gets[1]!, gets[1]! - gets[0]! + 200)
  })

  it('reopens such a stream if the server no longer knows the last event, and reports possibly lost messages', async () => {
    const lastIds: unknown[] = []
    const { listener, settled } = await opened(
      (seen, response) => {
        const last = seen.headers['last-event-id']
        lastIds.push(last)
        if (last !== undefined)
          json(response, { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Unknown event' } }, {}, 400)
        else if (lastIds.length === 1) events(response, 'id: e1\nretry: 50\ndata:\n\n').end()
        else events(response, 'id: e2\ndata:\n\n')
      },
      { ...options, random: () => 0 },
    )
    await settled
    await until(() => listener.misses === 1)
    expect(lastIds).toEqual([undefined, 'e1', undefined])
    expect(listener.warnings).toEqual([])
  })

  it('reports possibly lost messages after it reopened such a stream without ids, and resets its delays if the stream was stable', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const streams: ServerResponse[] = []
    const { listener, link, settled } = await opened((_, response) => void streams.push(events(response, ': hello\n\n')), {
      ...options,
      random: () => 0,
    })
    await settled
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const waits = () => timers.mock.calls.map(([, ms]) => ms)
    streams[0]!.destroy()
    await until(() => streams.length === 2 && listener.misses === 1)
    expect(waits()).toContain(750)
    vi.advanceTimersByTime(6_000)
    streams[1]!.destroy()
    await until(() => streams.length === 3 && listener.misses === 2)
    expect(waits()).toContain(500)
    await link.close()
  })

  it('reports no lost messages if the server can replay them', async () => {
    const streams: ServerResponse[] = []
    const { listener, link, settled } = await opened(
      (_, response) => void streams.push(events(response, event('', { id: 'e1', retry: 50 }))),
      options,
    )
    await settled
    streams[0]!.end()
    await until(() => streams.length === 2)
    await link.close()
    expect(listener.misses).toBe(0)
  })

  it.each([400, 404, 405, 501])('works without such a stream after a %i', async (status) => {
    const { settled, listener, link, server } = await opened(
      (seen, response) => {
        if (seen.method === 'GET') response.writeHead(status).end()
        else json(response, answerTo(seen.body))
      },
      { ...options, random: () => 1 },
    )
    await settled
    link.send(request(2, 'tools/list', sessions))
    await listener.answer(2)
    await pause(100)
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
    expect([listener.losses, listener.warnings, listener.ends]).toEqual([[], [], []])
  })

  const restarting = (status: number) => {
    const streams: ServerResponse[] = []
    const script: Script = (seen, response) => {
      if (seen.method === 'POST') setTimeout(() => json(response, answerTo(seen.body)), 200)
      else if (streams.length > 0) response.writeHead(status).end()
      else streams.push(events(response, 'retry: 50\n\n'))
    }
    return { script, streams }
  }

  it('reports that the session is over if its stream is no longer found, and does not end it again', async () => {
    const { script, streams } = restarting(404)
    const { settled, listener, link, server } = await opened(script, options)
    await settled
    streams[0]!.destroy()
    await until(() => listener.ends.length > 0)
    expect(listener.ends).toEqual([expect.objectContaining({ code: 'session-gone', sent: false })])
    await link.close()
    expect(server.seen.some(({ method }) => method === 'DELETE')).toBe(false)
    expect([listener.losses, listener.warnings]).toEqual([[], []])
  })

  it.each(['answered', 'dropped'])('delays that report until the pending request is %s', async (how) => {
    const { script, streams } = restarting(404)
    let giveList = () => {}
    const held: Script = (seen, response, count) => {
      if (!seen.body.includes('tools/list')) return script(seen, response, count)
      giveList = () => json(response, answerTo(seen.body))
    }
    const { settled, listener, link, server } = await opened(held, options)
    await settled
    link.send(request(2, 'tools/list', sessions))
    await until(() => server.seen.some(({ body }) => body.includes('tools/list')))
    streams[0]!.destroy()
    await until(() => server.seen.filter(({ method }) => method === 'GET').length === 2)
    await pause(20)
    expect(listener.ends).toEqual([])
    if (how === 'dropped') link.drop(2)
    else {
      giveList()
      expect(await listener.answer(2)).toMatchObject({ result: { ok: true } })
    }
    await until(() => listener.ends.length === 1)
    expect(listener.losses).toEqual([])
  })

  it('warns if the stream is refused after it was open', async () => {
    const { script, streams } = restarting(403)
    const { settled, listener } = await opened(script, options)
    await settled
    streams[0]!.destroy()
    await until(() => listener.warnings.length === 1)
    expect(listener.ends).toEqual([])
  })

  it('opens the stream only after the initialized notification', async () => {
    const order: string[] = []
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method !== 'POST') return response.writeHead(405).end()
      if (seen.body.includes('"initialize"')) return json(response, answerTo(seen.body))
      setTimeout(() => {
        order.push('accepted')
        response.writeHead(202).end()
      }, 60)
    })
    const { link, listener } = await dial(server.url, options)
    link.send(initialize())
    await listener.answer(1)
    link.send(notice('notifications/initialized', sessions))
    await link.settled(sessions)
    order.push('settled')
    expect(order).toEqual(['accepted', 'settled'])
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET'])
  })

  it('SHTTP-012 SHTTP-015 SHTTP-025 resumes a response that was cut off, after the requested retry time', async () => {
    const message = { jsonrpc: '2.0', id: 2, result: { late: true } }
    const { link, listener, server, settled } = await opened((seen, response) => {
      if (seen.method === 'POST') events(response, event('', { id: 'p1', retry: 500 })).end()
      else if (seen.headers['last-event-id'] === undefined) response.writeHead(405).end()
      else events(response, event(message, { id: 'p2' }))
    }, options)
    await settled
    link.send(request(2, 'tools/call', sessions))
    expect(await listener.answer(2)).toEqual(message)
    const [post, back] = server.seen.slice(-2)
    expect(back!.headers['last-event-id']).toBe('p1')
    expect(back!.headers['mcp-session-id']).toBe(session)
    expectAfter(back!.at - post!.at, 500)
    expectWithin(back!.at - post!.at, 700)
    await until(() => back!.closed)
    expect(listener.warnings).toEqual([])
  })

  it('SHTTP-025 resumes as often as the server cuts the stream, and receives every message once', async () => {
    const { link, listener, settled } = await opened((seen, response) => {
      const last = Number(seen.headers['last-event-id'] ?? 0)
      if (seen.method === 'GET' && last === 0) return response.writeHead(405).end()
      const note = { jsonrpc: '2.0', method: 'notifications/progress', params: { n: last } }
      const message = last < 12 ? note : { jsonrpc: '2.0', id: 2, result: {} }
      events(response, event(message, { id: String(last + 1), retry: 50 }))
      setTimeout(() => response.destroy(), 10)
    }, options)
    await settled
    link.send(request(2, 'tools/call', sessions))
    await listener.answer(2)
    expect(
      listener.messages.flatMap((message) => (message.kind === 'notification' ? [message.notification.params?.n] : [])),
    ).toEqual([...Array(12).keys()])
  })

  it('gives up resuming after eight attempts without messages, and at once if the server refuses', async () => {
    let status: number | undefined
    const { link, listener, server, settled } = await opened((seen, response) => {
      if (seen.method === 'POST') events(response, event('', { id: 'p1', retry: 1 })).end()
      else if (seen.headers['last-event-id'] === undefined) response.writeHead(405).end()
      else if (status === undefined) events(response, ': hello\n\n').end()
      else response.writeHead(status).end()
    }, options)
    await settled
    const visits = () => server.seen.filter(({ headers }) => headers['last-event-id'] === 'p1').length
    link.send(request(2, 'tools/call', sessions))
    expect(await listener.loss(2)).toMatchObject({ code: 'broken', sent: true })
    expect(visits()).toBe(8)
    status = 404
    link.send(request(3, 'tools/call', sessions))
    expect(await listener.loss(3)).toMatchObject({ code: 'broken', sent: true })
    expect(visits()).toBe(9)
  })

  it('does not resume a response that is no longer wanted', async () => {
    const { link, listener, server, settled } = await opened((seen, response) => {
      if (seen.method === 'POST') events(response, event('', { id: 'p1', retry: 100 })).end()
      else response.writeHead(405).end()
    }, options)
    await settled
    link.send(request(2, 'tools/call', sessions))
    await until(() => server.seen.at(-1)!.closed && server.seen.at(-1)!.method === 'POST')
    link.drop(2)
    await pause(200)
    expect(server.seen.some(({ headers }) => headers['last-event-id'] === 'p1')).toBe(false)
    expect(listener.losses).toEqual([])
  })

  it.each([modern, revisionOf('2025-11-25')])('does not resume a stream without event ids: $version', async (revision) => {
    const { link, listener } = await opened((seen, response) => {
      if (seen.method === 'GET') response.writeHead(405).end()
      else events(response, event('', revision === modern ? { id: 'x' } : {})).end()
    }, options)
    link.send(request(2, 'tools/call', revision))
    expect(await listener.loss(2)).toMatchObject({ code: 'broken', sent: true })
  })
})
