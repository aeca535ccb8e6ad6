// Endless streams without messages.
import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sseEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { EventReader } from '../../src/transports/http/client/replies/event-reply.js'
import {
  answerTo,
  carriers,
  dial,
  events,
  initialize,
  json,
  request,
  revisionOf,
  scriptedHttpServer,
  until,
} from './http-client-fixture.js'

/** Lines without an event, or events without data. */
const nothings = [
  ...[':\n', `: ${'x'.repeat(1_000)}\n`, '\n', 'id: 1\n\n', 'retry: 1\n', 'event: message\n\n', 'unknown: 1\n'],
  ...['event: other\ndata: 1\n\n', 'data:\n\n'],
]

/** Writes repeatedly until the client disconnects. */
function pour(response: ServerResponse, piece: string): void {
  const much = piece.repeat(Math.ceil(64_000 / piece.length))
  const more = () => {
    while (!response.destroyed && response.write(much));
  }
  response.on('drain', more)
  more()
}

describe.each(carriers)('over %s', (_name, options) => {
  it.each(nothings)('an endless response of %j is aborted', async (piece) => {
    const server = await scriptedHttpServer((_, response) => pour(events(response, ''), piece))
    const { link, listener } = await dial(server.url, options)
    link.send(request(7))
    expect(await listener.loss(7)).toMatchObject({ code: 'too-large', sent: true })
    await until(() => server.seen[0]!.closed)
  })

  it('the listening stream is aborted, and the session continues without it', async () => {
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method === 'GET') return pour(events(response, ''), ': nothing\n\n')
      if ('id' in JSON.parse(seen.body || '{}')) return json(response, answerTo(seen.body), { 'mcp-session-id': 's' })
      response.writeHead(202).end()
    })
    const { link, listener } = await dial(server.url, options)
    const sessions = revisionOf('2025-11-25')
    link.send(initialize())
    await listener.answer(1)
    await link.settled(sessions)
    await until(() => listener.warnings.length === 1)
    expect(listener.warnings[0]).toContain('without a message')
    link.send(request(2, 'tools/list', sessions))
    expect(await listener.answer(2)).toMatchObject({ result: { ok: true } })
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it('the stream of HTTP+SSE is aborted, and the connection with it', async () => {
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method === 'GET') pour(events(response, 'event: endpoint\ndata: /messages\n\n'), ': nothing\n\n')
      else response.writeHead(202).end()
    }, '/sse')
    const { listener } = await dial(server.url, options, sseEndpoint)
    await until(() => listener.ends.length === 1)
    expect(listener.ends[0]).toMatchObject({ code: 'too-large' })
  })
})

describe('the limit of bytes without a message', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const limit = 4 * 1024 * 1024

  it('applies to one minute, because comments may keep a stream open for years', () => {
    let now = 0
    const reader = new EventReader(limit, () => now)
    const comment = bytes(`: ${'x'.repeat(60_000)}\n\n`)
    for (let n = 0; n < 1_000; n++) {
      now += 1_000
      reader.read(comment)
    }
    expect(() => {
      for (let n = 0; n < 100; n++) reader.read(comment)
    }).toThrow('without a message')
  })

  it('includes every line outside of a message, at any position', () => {
    const line = fc.constantFrom(':', ': x', 'event: message', 'event: other', 'id: 1', 'retry: 1', 'unknown', 'unknown: 1')
    const ended = fc.constantFrom('', '\n', 'event: other\ndata: 1\n\n', 'event: other\ndata: 1\ndata: 2\n\n', 'data:\n\n')
    const start = fc.constantFrom('', 'data: 1\n', 'data: 1\ndata: 2\n', 'event: other\ndata: 1\n')
    fc.assert(
      fc.property(start, fc.array(line, { minLength: 1, maxLength: 5 }), ended, (first, lines, last) => {
        const reader = new EventReader(limit, () => 0)
        const repeats = last.includes('data') || first === ''
        const piece = bytes(`${lines.join('\n')}\n${repeats ? last : ''}`.repeat(1_000))
        reader.read(bytes(first))
        expect(() => {
          for (let sent = 0; sent < 4 * limit; sent += piece.length) reader.read(piece)
        }).toThrow('without a message')
      }),
    )
  })

  it('restarts with each event', () => {
    const reader = new EventReader(limit, () => 0)
    const comment = bytes(': x\n'.repeat(1_000))
    for (let n = 0; n < 1_000; n++) {
      reader.read(comment)
      expect(reader.read(bytes('data: 1\n\n'))).toHaveLength(1)
    }
  })
})
