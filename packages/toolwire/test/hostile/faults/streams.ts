// Server-initiated streams that end early or redirect. Rows 4 and 9.
import { alike, type Fault, notification, pause, type Script, type Wire } from '../fault.js'

const stream =
  (text: (wire: Wire) => string): Script =>
  (wire) =>
    wire.http?.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text(wire))

/** Long enough to see whether the client reconnects repeatedly. */
const listening: Fault['does'] = async (client) => {
  const stop = client.onChange(() => undefined)
  await client.call('bad')
  await pause(1_000)
  stop()
  return 'patient'
}

const listened = alike({ rows: [4], over: 'http', style: 'handshake', does: listening }, [
  {
    name: 'a stream that ends at once',
    on: { GET: stream(() => ': hello\n\n') },
    shows: { gives: 'patient', seen: { GET: [1, 4] } },
  },
  {
    name: 'a stream that wants to be asked for again at once',
    on: { GET: stream(() => 'retry: 0\nid: 1\ndata:\n\n') },
    shows: { gives: 'patient', seen: { GET: [1, 40] } },
  },
  {
    name: 'a stream of 400 MB without an event',
    on: { GET: (wire) => wire.pour(400 * 1024 * 1024, { head: 'data: ', type: 'text/event-stream' }) },
    shows: { gives: 'patient', seen: { GET: [1, 4], hangup: [1, 4] } },
  },
  {
    name: 'a stream with answers to requests of others',
    on: { GET: stream(() => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 987_654, result: {} })}\n\n`) },
    shows: { gives: 'patient', seen: { GET: [1, 4] } },
  },
])

const subscribed: readonly Fault[] = [
  {
    name: 'a subscription that ends at once',
    rows: [4],
    style: 'per-request',
    on: { 'subscriptions/listen': (wire, ask) => wire.answer(ask, {}) },
    does: listening,
    shows: { gives: 'patient', seen: { 'subscriptions/listen': [1, 5] } },
  },
  {
    name: 'a subscription that is never confirmed',
    rows: [1],
    style: 'per-request',
    on: { 'subscriptions/listen': (wire) => wire.say(notification('notifications/message', { level: 'info', data: 'x' })) },
    does: listening,
    shows: { gives: 'patient', seen: { 'subscriptions/listen': [1, 3] } },
  },
]

const endpoint = (address: (wire: Wire) => string) => stream((wire) => `event: endpoint\ndata: ${address(wire)}\n\n`)

const older = alike(
  {
    rows: [11],
    over: 'http',
    style: 'handshake',
    older: true,
    options: () => ({ auth: { token: 'secret' } }),
  },
  [
    {
      name: 'an endpoint at another origin',
      on: { GET: endpoint(({ elsewhere }) => elsewhere) },
      shows: { fails: 'turned_away', withinMs: 1_500, seen: { elsewhere: 0, 'elsewhere with credentials': 0 } },
    },
    {
      name: 'an endpoint that is no address',
      on: { GET: endpoint(() => 'http://[bad') },
      shows: { fails: 'turned_away', withinMs: 1_500 },
    },
  ],
)

export const streams = [...listened, ...subscribed, ...older]
