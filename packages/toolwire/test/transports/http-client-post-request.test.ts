// Streamable HTTP in the client: posted requests and their responses.

import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { TransportError } from '../../src/peer/client-transport.js'
import { httpEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { expectWithin } from '../soak.js'
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

const answering: Script = (seen, response) => json(response, answerTo(seen.body))

describe.each(carriers)('over %s', (_name, options) => {
  const ask = async (script: Script, message = request(7)) => {
    const server = await scriptedHttpServer(script)
    const { link, listener } = await dial(server.url, options)
    link.send(message)
    return { server, link, listener }
  }
  const refused = async (script: Script, message = request(7)): Promise<TransportError> =>
    (await ask(script, message)).listener.loss(7)

  it('SHTTP-002 SHTTP-003 HTTP-004 HTTP-005 SHTTP-008 posts each message separately, with its type and the accepted responses', async () => {
    const server = await scriptedHttpServer((seen, response) =>
      'id' in JSON.parse(seen.body) ? json(response, answerTo(seen.body)) : response.writeHead(202).end(),
    )
    const { link, listener } = await dial(server.url, options)
    for (const revision of [sessions, revisionOf('2025-06-18'), revisionOf('2025-03-26'), modern]) {
      link.send(request(1, 'tools/list', revision))
      link.send(notice('notifications/cancelled', revision))
      if (revision.style === 'handshake') link.send({ text: '{"jsonrpc":"2.0","id":"theirs","result":{}}', revision })
    }
    await until(() => server.seen.length === 11)
    for (const { method, headers, body } of server.seen) {
      expect(method).toBe('POST')
      expect(headers['content-type']).toBe('application/json')
      expect(headers.accept).toBe('application/json, text/event-stream')
      expect(headers['accept-encoding']).toBe('identity')
      expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0' })
    }
    await until(() => listener.responses.length === 4)
    expect(listener.warnings).toEqual([])
  })

  it('SHTTP-039 sends the version and the copied values in headers if the revision requires them', async () => {
    const server = await scriptedHttpServer(answering)
    const { link, listener } = await dial(server.url, { ...options, headers: { 'x-mine': 'yes', accept: '*/*' } })
    link.send({ ...request(1), mirrored: ['mcp-method', 'tools/list', 'Mcp-Param-Région', 'x'].slice(0, 2) })
    link.send(request(2, 'tools/list', revisionOf('2025-03-26')))
    link.send(request(3, 'tools/list', revisionOf('2025-06-18')))
    link.send(initialize(4))
    await until(() => listener.responses.length === 4)
    const of = (id: number) => server.seen.find(({ body }) => JSON.parse(body).id === id)!.headers
    expect(of(1)).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', 'x-mine': 'yes' })
    expect(of(1).accept).toBe('application/json, text/event-stream')
    expect(of(2)['mcp-protocol-version']).toBeUndefined()
    expect(of(3)['mcp-protocol-version']).toBe('2025-06-18')
    expect(of(3)['mcp-method']).toBeUndefined()
    expect(of(4)['mcp-protocol-version']).toBeUndefined()
  })

  it('reads a JSON response, in one chunk or in many', async () => {
    const { listener, link } = await ask((seen, response, count) => {
      if (count === 0) return json(response, answerTo(seen.body), { 'content-type': 'Application/JSON; charset=utf-8' })
      const text = JSON.stringify({ ...answerTo(seen.body), result: { text: 'ä'.repeat(100_000) } })
      response.writeHead(200, { 'content-type': 'application/json' })
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += 33_333) response.write(bytes.subarray(at, at + 33_333))
      response.end()
    })
    expect(await listener.answer(7)).toEqual({ jsonrpc: '2.0', id: 7, result: { ok: true } })
    link.send(request(8))
    expect(await listener.answer(8)).toMatchObject({ result: { text: 'ä'.repeat(100_000) } })
  })

  it('reads a JSON error with status 200, even without an id', async () => {
    const { listener, link } = await ask((_, response, count) =>
      json(response, { jsonrpc: '2.0', ...(count === 0 && { id: 7 }), error: { code: -32_602, message: 'no' } }),
    )
    expect(await listener.answer(7)).toMatchObject({ error: { code: -32_602 } })
    link.send(request(8))
    expect(await listener.answer(8)).toMatchObject({ id: 8, error: { code: -32_602 } })
  })

  it('reads every message of a batch in the one revision with batches, and refuses it in others', async () => {
    const batch: Script = (seen, response) =>
      json(response, [{ jsonrpc: '2.0', method: 'notifications/message', params: {} }, answerTo(seen.body)])
    const { listener } = await ask(batch, request(7, 'tools/list', revisionOf('2025-03-26')))
    await listener.answer(7)
    expect(listener.messages.map(({ kind }) => kind)).toEqual(['notification', 'response'])
    expect(await refused(batch)).toMatchObject({ code: 'garbage', sent: true })
  })

  it('HTTP-013 SHTTP-012 reads the messages of a stream in order, with any line ends, comments and unknown fields', async () => {
    const { listener } = await ask((seen, response) => {
      const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
      const [start, rest] = [JSON.stringify(answerTo(seen.body)).slice(0, 1), JSON.stringify(answerTo(seen.body)).slice(1)]
      events(response, `:\r\n:comment\r\nfoo: bar\r\nid: 1\r\ndata:\r\n\r\n`)
      response.write(`event: message\rdata: ${note}\r\rnonsense\nevent: other\ndata: not json\n\n`)
      response.end(`data: ${start}\ndata: ${rest}\n\n`)
    })
    expect(await listener.answer(7)).toMatchObject({ result: { ok: true } })
    expect(listener.messages.map(({ kind }) => kind)).toEqual(['notification', 'response'])
    expect(listener.warnings).toEqual([])
  })

  it.each([
    ['ends', (response: ServerResponse, text: string) => void response.end(text)],
    ['breaks', (response: ServerResponse, text: string) => void response.write(text, () => response.destroy())],
  ])('reads long and short messages in order even if the stream %s meanwhile', async (_how, finish) => {
    const long = Array.from({ length: 90_000 }, () => [])
    const note = (place: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/x',
      params: { place, more: place % 2 ? long : [] },
    })
    const { listener } = await ask((seen, response) => {
      events(response, '')
      const answer = { ...answerTo(seen.body), result: { long } }
      finish(response, `id: 1\n${[0, 1, 2, 3, 4].map((place) => event(note(place))).join('')}${event(answer)}`)
    })
    expect(await listener.answer(7)).toMatchObject({ result: { long: { length: 90_000 } } })
    const places = listener.messages.flatMap((message) =>
      message.kind === 'notification' ? [message.notification.params?.place] : [],
    )
    expect(places).toEqual([0, 1, 2, 3, 4])
    expect([listener.losses, listener.warnings]).toEqual([[], []])
  })

  it('is done at the response, and closes a stream that the server leaves open', async () => {
    const { listener, server, link } = await ask((seen, response) =>
      events(response, event(answerTo(seen.body)) + event(answerTo(seen.body))),
    )
    await listener.answer(7)
    await until(() => server.seen[0]!.closed)
    expect(listener.responses).toHaveLength(1)
    link.send(request(8))
    await listener.answer(8)
  })

  it.each<[string, Script]>([
    ['HTML with 200', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')],
    ['no content type', (_, response) => response.writeHead(200).end('{}')],
    ['nothing', (_, response) => response.writeHead(202).end()],
    ['no JSON', (_, response) => json(response, '{"jsonrpc"')],
    ['bytes after the end', (seen, response) => json(response, `${JSON.stringify(answerTo(seen.body))}}`)],
    [
      'invalid UTF-8',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0x7b, 0xff, 0x7d])),
    ],
    ['no message', (_, response) => json(response, { hello: 1 })],
    ['a result that is no object', (_, response) => json(response, { jsonrpc: '2.0', id: 7, result: 1 })],
    ['a notification', (_, response) => json(response, { jsonrpc: '2.0', method: 'hello' })],
    ['invalid UTF-8 in an event', (_, response) => events(response, '').end(Buffer.from('data: {"\xff"}\n\n', 'latin1'))],
    ['an event that is no JSON', (_, response) => events(response, 'data: hello\n\n')],
    ['the answer to another request', (_, response) => json(response, { jsonrpc: '2.0', id: 8, result: {} })],
    ['an id of another type', (_, response) => json(response, { jsonrpc: '2.0', id: '7', result: {} })],
    ['an event with another id', (_, response) => events(response, event({ jsonrpc: '2.0', id: '7', result: {} })).end()],
    ['a false Content-Encoding', (seen, response) => json(response, answerTo(seen.body), { 'content-encoding': 'zstd' })],
  ])('treats %s as garbage', async (what, script) => {
    const { listener } = await ask(script)
    expect(await listener.loss(7)).toMatchObject({
      code: expect.stringMatching(what.includes('Encoding') ? /garbage|broken/ : /garbage/),
      sent: true,
    })
    expect(listener.responses).toEqual([])
  })

  it('ignores a wrong response in a stream, and uses the right one', async () => {
    const { listener } = await ask((seen, response) =>
      events(response, event({ jsonrpc: '2.0', id: 70, result: {} }) + event(answerTo(seen.body))),
    )
    await listener.answer(7)
    expect(listener.responses).toHaveLength(1)
    expect(listener.warnings).toHaveLength(1)
  })

  it.each<[string, Script]>([
    [
      'a JSON body',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"jsonrpc":"2.0","id":7,')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    [
      'a stream',
      (_, response) => {
        events(response, 'data: {"jsonrpc":"2.0",')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    ['an event', (_, response) => events(response, 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n').end()],
    ['the silence before an answer', (_, response) => response.destroy()],
  ])('HTTP-015 does not resume %s that was cut off', async (_what, script) => {
    const { listener, server } = await ask(script)
    expect(await listener.loss(7)).toMatchObject({ code: 'broken', sent: true })
    await pause(80)
    expect(server.seen).toHaveLength(1)
  })

  it.each<[string, Script]>([
    ['body', (_, response) => pour(response.writeHead(200, { 'content-type': 'application/json' }), 'x')],
    ['event', (_, response) => pour(events(response, 'data: '), 'x')],
    ['event of many lines', (_, response) => pour(events(response, ''), 'data: xxxxxxxxxxxxxxxxx\n')],
  ])('aborts a %s beyond the limit', async (_what, script) => {
    const before = process.memoryUsage().rss
    const { listener, server } = await ask(script)
    expect(await listener.loss(7)).toMatchObject({ code: 'too-large', sent: true })
    await until(() => server.seen[0]!.closed)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [405, false],
    [406, false],
    [413, false],
    [415, false],
    [429, false],
    [431, false],
    [500, true],
    [502, true],
    [503, true],
  ])('SHTTP-002 reports a status %i, and whether the request may have been executed', async (status, sent) => {
    const why = await refused((_, response) => response.writeHead(status).end())
    expect(why).toMatchObject({ code: status === 401 || status === 403 ? 'unauthorized' : 'status', status, sent })
    expect(why.message).toContain(`HTTP ${status}`)
  })

  it('reads the error in the body of a status, unless it belongs to another request', async () => {
    const error = { code: -32_020, message: 'Header mismatch' }
    const withId =
      (id?: unknown): Script =>
      (_, response) =>
        json(response, { jsonrpc: '2.0', ...(id !== undefined && { id }), error }, {}, 400)
    for (const id of [7, null, undefined]) {
      expect(await refused(withId(id))).toMatchObject({ status: 400, sent: false, response: { error } })
    }
    for (const id of [8, '7']) expect(await refused(withId(id))).toMatchObject({ status: 400, sent: true, response: undefined })
    expect(await refused((_, response) => response.writeHead(400).end('Bad Request'))).toMatchObject({
      sent: true,
      response: undefined,
    })
  })

  it('does not read a long error body to its end', async () => {
    const { listener, server } = await ask((_, response) => pour(response.writeHead(500), 'x'))
    expect(await listener.loss(7)).toMatchObject({ status: 500, sent: true })
    await until(() => server.seen[0]!.closed)
  })

  it('reads the Retry-After header', async () => {
    const after = (value: string) => refused((_, response) => response.writeHead(429, { 'retry-after': value }).end())
    expect(await after('2')).toMatchObject({ retryAfterMs: 2_000 })
    expect(await after('999999999')).toMatchObject({ retryAfterMs: 86_400_000 })
    expect(await after('soon')).toMatchObject({ retryAfterMs: undefined })
    const { retryAfterMs } = await after(new Date(Date.now() + 10_000).toUTCString())
    expect(retryAfterMs).toBeGreaterThan(7_000)
    expect(retryAfterMs).toBeLessThanOrEqual(10_000)
    expect(await after('Wed, 21 Oct 2015 07:28:00 GMT')).toMatchObject({ retryAfterMs: 0 })
  })

  it('detects a closed port within 50 ms, and reports that nothing was sent', async () => {
    const server = await scriptedHttpServer(answering)
    const { link, listener } = await dial(server.url, options)
    await server.close()
    const times: number[] = []
    for (const id of [1, 2, 3]) {
      const start = performance.now()
      link.send(request(id))
      expect(await listener.loss(id)).toMatchObject({ code: 'unreachable', sent: false })
      times.push(performance.now() - start)
    }
    // The best of three, because the machine may have been busy.
    expectWithin(Math.min(...times), 50)
  })

  it('reports a server that does not speak HTTP', async () => {
    const server = createServer(
      (socket) =>
        void socket
          .on('error', () => {})
          .resume()
          .end('220 mail.example ESMTP\r\n\r\n'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { link, listener } = await dial(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), options)
    link.send(request(7))
    expect(await listener.loss(7)).toMatchObject({ code: expect.stringMatching(/garbage|broken/), sent: true })
    await new Promise((resolve) => server.close(resolve))
  })

  it('closes the connection when a response is no longer wanted, without reporting an error', async () => {
    const { link, listener, server } = await ask((seen, response, count) => {
      if (count === 1) events(response, event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }))
      if (count > 1) json(response, answerTo(seen.body))
    })
    link.send(request(8))
    await until(() => listener.messages.length === 1)
    link.drop(7)
    link.drop(8)
    link.drop(9)
    await until(() => server.seen.every(({ closed }) => closed))
    link.send(request(10))
    await listener.answer(10)
    expect(listener.losses).toEqual([])
    expect(listener.warnings).toEqual([])
  })

  it('drops a request right after it was sent', async () => {
    const server = await scriptedHttpServer(answering)
    const { link, listener } = await dial(server.url, options)
    link.send(request(7))
    link.drop(7)
    link.send(request(8))
    await listener.answer(8)
    await pause(30)
    expect(listener.responses).toHaveLength(1)
    expect(listener.losses).toEqual([])
  })

  it('ignores any response to a notification, but does not wait long for it', async () => {
    const { listener, link, server } = await ask((_, response, count) => {
      if (count === 0) events(response, ': hello\n\n')
      if (count === 1) json(response, { hello: 'there' })
      if (count === 2) pour(response.writeHead(200, { 'content-type': 'text/plain' }), 'x')
      if (count === 3) response.writeHead(500).end()
    }, notice('a'))
    await until(() => server.seen[0]?.closed === true)
    link.send(notice('b'))
    link.send(notice('c'))
    await until(() => server.seen.length === 3 && server.seen.every(({ closed }) => closed))
    expect(listener.warnings).toEqual([])
    link.send(notice('d'))
    await until(() => listener.warnings.length === 1)
  })

  it('leaves nothing open after it was closed twice, and reports nothing more', async () => {
    const { listener, link, server } = await ask((_, response, count) => void (count === 1 && events(response, ': hello\n\n')))
    link.send(request(8))
    await until(() => server.seen.length === 2)
    await Promise.all([link.close(), link.close()])
    link.send(request(9))
    await until(() => server.sockets.size === 0 || options.fetch !== undefined)
    await until(() => server.seen.every(({ closed }) => closed))
    expect([listener.messages, listener.losses, listener.ends, listener.warnings]).toEqual([[], [], [], []])
    expect(server.seen).toHaveLength(2)
  })

  it('reuses its connections', async () => {
    const { listener, link, server } = await ask(answering)
    await listener.answer(7)
    for (let id = 8; id < 20; id++) {
      link.send(request(id))
      await listener.answer(id)
    }
    if (!options.fetch) expect(server.sockets.size).toBeLessThanOrEqual(2)
  })
})

it('a URL with a password or another scheme than HTTP is refused', () => {
  expect(() => httpEndpoint(new URL('https://me:secret@example.com/mcp'))).toThrow(/user name or a password/)
  expect(() => httpEndpoint(new URL('https://me:secret@example.com/mcp'))).not.toThrow(/secret/)
  expect(() => httpEndpoint(new URL('ftp://example.com/mcp'))).toThrow(/http: or https:/)
})

it('headers with line breaks are refused', () => {
  expect(() => httpEndpoint(new URL('http://example.com'), { headers: { 'x-a': 'b\r\nx-c: d' } })).toThrow(TypeError)
  expect(() => httpEndpoint(new URL('http://example.com'), { headers: { 'x a': 'b' } })).toThrow(TypeError)
})

it('the name of a server omits secret parts of its URL', () => {
  const way = httpEndpoint(new URL('https://example.com/mcp?token=secret#part'))
  expect([way.name, way.key, way.olderEndpoint?.name]).toEqual(Array(3).fill('https://example.com/mcp'))
})

/** Writes endlessly until the client disconnects. */
function pour(
  response: { write(text: string): boolean; on(name: string, then: () => void): unknown; destroyed: boolean },
  piece: string,
): void {
  const chunk = piece.repeat(Math.ceil(65_536 / piece.length))
  const more = () => {
    let flows = true
    while (flows && !response.destroyed) flows = response.write(chunk)
  }
  response.on('drain', more)
  response.on('error', () => {})
  more()
}
