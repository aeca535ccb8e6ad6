// An invalid response ends its call at once on every transport. The error says that the call was sent, and where the response is invalid.
import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientTransport } from '../../src/peer/client-transport.js'
import { sseEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { messageIntake } from '../../src/transports/message-intake.js'
import { defective, pointerOf } from '../json/defects.js'
import { howMany } from '../soak.js'
import {
  dial,
  events,
  modern,
  RecordingListener,
  request,
  revisionOf,
  scriptedHttpServer,
  sessions,
} from './http-client-fixture.js'

type Transport = {
  /** Sends a request with this id, which gets this response. */
  readonly ask: (id: number, answer: string) => void
  readonly listener: RecordingListener
}

const overHttp = async (write: (response: ServerResponse, answer: string) => void): Promise<Transport> => {
  let answer = ''
  const server = await scriptedHttpServer((_, response) => write(response, answer))
  const { link, listener } = await dial(server.url)
  return {
    listener,
    ask(id, text) {
      answer = text
      link.send(request(id, 'tools/list', modern))
    },
  }
}

async function overFirstRevision(): Promise<Transport> {
  const streams: ServerResponse[] = []
  let answer = ''
  const server = await scriptedHttpServer((seen, response) => {
    if (seen.method === 'GET') return void streams.push(events(response, 'event: endpoint\ndata: /messages\n\n'))
    response.writeHead(202).end('Accepted')
    streams[0]?.write(`event: message\ndata: ${answer}\n\n`)
  }, '/sse')
  const { link, listener }: { link: ClientTransport; listener: RecordingListener } = await dial(server.url, {}, sseEndpoint)
  return {
    listener,
    ask(id, text) {
      answer = text
      link.send(request(id, 'tools/list', revisionOf('2024-11-05')))
    },
  }
}

async function overLines(): Promise<Transport> {
  const listener = new RecordingListener()
  const intake = messageIntake(listener)
  intake.settled(sessions)
  return { listener, ask: (_, text) => intake.take(new TextEncoder().encode(text)) }
}

const transports: readonly (readonly [string, () => Promise<Transport>])[] = [
  [
    'JSON over HTTP',
    () => overHttp((response, answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)),
  ],
  ['events over HTTP', () => overHttp((response, answer) => events(response, `data: ${answer}\n\n`).end())],
  ['HTTP+SSE', overFirstRevision],
  ['lines', overLines],
]

describe.each(transports)('a response by %s', (_, open) => {
  it('that is invalid ends its call with the place of the error', async () => {
    const { listener, ask } = await open()
    let id = 0
    await fc.assert(
      fc.asyncProperty(defective, async ({ text, path }) => {
        id++
        ask(id, `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"x":${text}}}}`)
        const { code, sent, message } = await listener.loss(id)
        expect([code, sent]).toEqual(['garbage', true])
        expect(message).toContain('The server received the request, but its response is invalid')
        expect(message).toContain(' at /result/structuredContent/x')
        if (/^[a-z/0-9]*$/.test(pointerOf(path))) expect(message).toContain(`/x${pointerOf(path)}`)
      }),
      { numRuns: howMany(6, 30), seed: 8 },
    )
  })
})
