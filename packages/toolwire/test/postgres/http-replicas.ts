// HTTP servers with a shared secret, and readers for their streams.
import { afterAll, beforeAll } from 'vitest'
import type { Server } from '../../src/index.js'
import { type HttpOptions, type Listening, listen } from '../../src/node.js'
import { type Event, eventsIn, HttpPeer } from '../transports/peers.js'

/** Starts one server for each entry of the options. */
export function httpReplicas(optionsOf: () => readonly HttpOptions[], make: () => Server) {
  const open: Listening[] = []
  const apps: Server[] = []
  beforeAll(async () => {
    for (const options of optionsOf()) {
      const app = make()
      apps.push(app)
      open.push(await listen(app, { signals: false, ...options }))
    }
  })
  afterAll(async () => void (await Promise.all(open.map((one) => one.close()))))
  return {
    apps,
    /** A client of the replica, in the session of another client. */
    peer(at: number, like?: HttpPeer): HttpPeer {
      const made = new HttpPeer(open[at]?.url ?? '')
      made.session = like?.session
      return made
    },
  }
}

/** Reads a stream until the test aborts it. */
export function reading(
  peer: HttpPeer,
  method: 'GET' | 'POST',
  { body, lastEventId }: { body?: object; lastEventId?: string } = {},
) {
  const cut = new AbortController()
  let text = ''
  const headers = {
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(body && { 'content-type': 'application/json' }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  const opened = peer.request(method, headers, { signal: cut.signal, ...(body && { body: JSON.stringify(body) }) })
  const ended = (async () => {
    const { body: stream } = await opened
    for await (const part of (stream as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()))
      text += part
  })().catch(() => {}) // the test has aborted it
  const events = (): Event[] => eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))
  const messages = () => events().flatMap(({ data }) => (data ? [JSON.parse(data) as { method?: string; params?: never }] : []))
  return { opened, ended, events, messages, cut: () => cut.abort() }
}
