// Urgent messages must not wait for calls, and a server must not fill the memory with unaccepted messages.
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OutgoingMessage } from '../../src/peer/client-transport.js'
import { sseEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { eachNth } from '../soak.js'
import {
  answerTo,
  carriers,
  dial,
  event,
  events,
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

const slowCalls = 300
/** The number of connections for calls. */
const connections = 256
const first = revisionOf('2024-11-05')

const response = (id: string, length = 2): OutgoingMessage => ({
  text: JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(length) } }),
  revision: sessions,
})
const isCall = (body: string): boolean => body.includes('"tools/call"')
const ids = Array.from({ length: slowCalls }, (_, at) => 1_000 + at)

describe.each(carriers)('over %s', (_name, options) => {
  it('answers the questions of more calls than connections', async () => {
    const waiting = new Map<string, () => void>()
    const { url } = await scriptedHttpServer((seen, reply) => {
      const { id } = JSON.parse(seen.body)
      if (!isCall(seen.body)) {
        reply.writeHead(202).end()
        return waiting.get(id)?.()
      }
      waiting.set(`q${id}`, () => reply.end(event(answerTo(seen.body))))
      events(reply, event({ jsonrpc: '2.0', id: `q${id}`, method: 'roots/list' }))
    })
    const { link, listener } = await dial(url, options)
    const { hear } = listener
    listener.hear = (message) => {
      hear.call(listener, message)
      if (message.kind === 'request') link.send(response(String(message.request.id)))
    }
    for (const id of ids) link.send(request(id, 'tools/call', sessions))
    await until(() => listener.responses.length === slowCalls, 60_000)
    expect([listener.losses, listener.warnings]).toEqual([[], []])
  })

  const urgent: [string, OutgoingMessage][] = [
    ['a cancellation', notice('notifications/cancelled', sessions)],
    ['a ping', request(1, 'ping', sessions)],
    ['a subscription', request(1, 'subscriptions/listen', modern)],
    ['a subscription of the old kind', request(1, 'resources/subscribe', sessions)],
  ]

  it.each(eachNth(urgent, 2))('sends %s while all connections for calls are busy', async (_what, message) => {
    const { link, server, listener } = await besides(({ body }, reply) => {
      if (!isCall(body)) reply.writeHead(202).end()
    })
    for (const id of ids) link.send(request(id, 'tools/call', sessions))
    await until(() => server.seen.length >= connections)
    link.send(message)
    await until(() => server.seen.some(({ body }) => !isCall(body)))
    expect(listener.warnings).toEqual([])
  })

  it('makes calls while any number of streams is open', async () => {
    const { link, server, listener } = await besides((seen, reply) => {
      if (isCall(seen.body)) json(reply, answerTo(seen.body))
      else events(reply, ': hello\n\n')
    })
    for (const id of ids) link.send(request(id, 'subscriptions/listen', modern))
    await until(() => server.seen.length >= connections)
    link.send(request(1, 'tools/call', modern))
    expect(await listener.answer(1)).toMatchObject({ id: 1 })
  })

  it('buffers a limited number of messages that the server does not accept, with one warning, and continues when it does', async () => {
    const held: ServerResponse[] = []
    const { link, server, listener } = await besides((_, reply) => void held.push(reply))
    for (let at = 0; at < 5_000; at++) link.send(response(`p${at}`))
    await until(() => held.length >= 32)
    expect(listener.warnings).toEqual([expect.stringContaining('dropped')])
    const accepted = setInterval(() => {
      for (const reply of held.splice(0)) reply.writeHead(202).end()
    }, 5)
    await until(() => server.seen.length === 1_024)
    link.send(response('later'))
    await until(() => server.seen.at(-1)!.body.includes('later'))
    clearInterval(accepted)
    expect(server.seen).toHaveLength(1_025)
    expect(listener.warnings).toHaveLength(1)
    if (!options.fetch) expect(server.sockets.size).toBeLessThanOrEqual(32)
  })

  it('buffers at most 4 MiB of them, or a single longer one', async () => {
    const { link, server, listener } = await besides(() => {})
    link.send(response('one', 5_000_000))
    link.send(response('two', 10))
    await until(() => server.seen.length === 1)
    expect(listener.warnings).toEqual([expect.stringContaining('dropped')])
    await pause(50)
    expect(server.seen).toHaveLength(1)
  })

  it('does not wait long for the body of an acceptance', async () => {
    const { link, server } = await besides((_, reply) => reply.writeHead(202).flushHeaders())
    for (let at = 0; at < 100; at++) link.send(response(`p${at}`))
    await until(() => server.seen.length === 100 && server.seen.every(({ closed }) => closed))
  })

  it('has the same limits for servers of the first revision', async () => {
    const server = await scriptedHttpServer((seen, reply) => {
      if (seen.method === 'GET') events(reply, 'event: endpoint\ndata: /post\n\n')
    })
    const { link, listener } = await dial(server.url, options, sseEndpoint)
    for (let at = 0; at < 5_000; at++) link.send({ ...response(`p${at}`), revision: first })
    expect(listener.warnings).toEqual([expect.stringContaining('dropped')])
  })

  describe('with a fake clock', () => {
    afterEach(() => void vi.useRealTimers())

    it('disconnects from a server that does not accept a message within half a minute', async () => {
      const { link, server, listener } = await besides(() => {})
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      link.send(response('one'))
      await turns(() => server.seen.length === 1)
      vi.advanceTimersByTime(29_000)
      expect(listener.warnings).toEqual([])
      vi.advanceTimersByTime(2_000)
      expect(listener.warnings).toEqual([expect.stringContaining('not delivered')])
      await turns(() => server.seen[0]!.closed)
    })
  })

  async function besides(script: Script) {
    const server = await scriptedHttpServer(script)
    return { server, ...(await dial(server.url, options)) }
  }
})

/** Waits for turns of the event loop, without a timer. */
async function turns(holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!holds()) {
    if (performance.now() > end) throw new Error('it never came to that')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
