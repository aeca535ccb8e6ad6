// Scripts of a misbehaving HTTP server, by name. Methods without an entry behave correctly.
import { complete, flood, notification, pause, response, text, tokenOf } from './player.mjs'

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const whole = ({ style }, ask) => JSON.stringify(response(ask.id, complete(style, text('PART'))))
const half = (text) => text.slice(0, text.length - 10)
const much = 400 * 1024 * 1024

/** A truncated reply. */
const truncated = (headers, piece) => ({
  async bad(wire, ask) {
    wire.response.writeHead(200, headers).write(piece(wire, ask))
    await pause(20)
    wire.response.destroy()
  },
})
const reply = (headers, body) => ({ bad: (wire, ask) => wire.response.writeHead(200, headers).end(body(wire, ask)) })
/** Writes these bytes to the connection, without the HTTP encoding of Node. */
const raw = (body) => ({
  bad(wire, ask) {
    wire.note(`socket ${wire.socket}`)
    wire.request.socket.write(body(wire, ask))
  },
  'tools/call'(wire, ask) {
    wire.note(`socket ${wire.socket}`)
    wire.answer(ask, text('ok'))
  },
})
const framed = (body) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const status = (code, headers = {}) => ({ bad: ({ response }) => response.writeHead(code, headers).end() })
/** Sends a wrong message first, then the right answer. */
const after = (wrong) => ({
  bad(wire, ask) {
    wire.say(wrong(wire, ask))
    wire.answer(ask, text('right'))
  },
})
const as = (id) => (wire) => response(id, complete(wire.style, text('wrong')))
const head = ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`

async function drip(wire, whole) {
  wire.response.writeHead(200, wire.style === 'per-request' ? json : events)
  for (const piece of whole) {
    if (wire.response.destroyed) return
    wire.response.write(piece)
    await pause(1_000)
  }
}

/** An event stream that breaks off in the middle of an event. */
async function breakOff(wire, before) {
  wire.note(`listening ${performance.now()}`)
  before()
  await pause(50)
  wire.note(`left ${performance.now()}`)
  wire.response.write('data: {"jsonrpc":"2.0","method":"notifications/to')
  wire.response.destroy()
}

let now = 0

export const scripts = {
  none: {},
  silent: { bad: () => undefined },
  mute: { initialize: () => undefined, 'server/discover': () => undefined },
  hold: {
    bad(wire, ask) {
      wire.response.on('close', () => wire.note('gone'))
      wire.say(notification('notifications/progress', { progressToken: tokenOf(ask), progress: 1 }))
    },
  },
  reset: { bad: ({ request }) => request.socket.resetAndDestroy() },
  'cut-json': truncated({ ...json, 'content-length': 10_000 }, (wire, ask) => half(whole(wire, ask))),
  'cut-chunks': truncated(json, (wire, ask) => half(whole(wire, ask))),
  'cut-event': truncated(events, (wire, ask) => `data: ${whole(wire, ask)}\n`),
  'cut-half-event': truncated(events, (wire, ask) => `data: ${half(whole(wire, ask))}`),
  leaving: {
    GET: (wire) => breakOff(wire, () => wire.response.writeHead(200, events).write(': here\n\n')),
    'subscriptions/listen': (wire, ask) =>
      breakOff(wire, () => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': ask.id }
        wire.say(notification('notifications/subscriptions/acknowledged', { _meta, notifications: { toolsListChanged: true } }))
      }),
  },
  open: { bad: (wire, ask) => wire.say(response(ask.id, complete(wire.style, text('open')))) },
  drip: { bad: (wire, ask) => drip(wire, `data: ${whole(wire, ask)}`) },
  progress: {
    async bad(wire, ask) {
      const { total } = ask.params.arguments
      await flood(total, total / 10, (progress) =>
        wire.say(notification('notifications/progress', { progressToken: tokenOf(ask), progress, total })),
      )
      wire.answer(ask, text('arrived'))
    },
  },
  'no-json': reply(json, () => 'not json'),
  html: reply({ 'content-type': 'text/html' }, () => '<p>Log in</p>'),
  'plain-text': reply({ 'content-type': 'text/plain' }, whole),
  untyped: reply({}, whole),
  'bytes-after': reply(json, (wire, ask) => `${whole(wire, ask)}{}`),
  empty: reply(json, () => ''),
  'bad-chunks': raw(() => 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
  'no-http': raw(() => 'SSH-2.0-OpenSSH_9.6\r\n'),
  'two-replies': raw((wire, ask) => {
    const body = JSON.stringify(response(ask.id, complete(wire.style, text('ok'))))
    return `${framed(body)}${framed(body.replace('"ok"', '"no"'))}`
  }),
  body: { bad: (wire, ask) => wire.pour(much, { head: head(ask) }) },
  line: { bad: (wire, ask) => wire.pour(much, { head: `data: ${head(ask)}`, type: events['content-type'] }) },
  lines: { bad: (wire) => wire.pour(much, { fill: `data: ${'x'.repeat(1_000)}\n`, type: events['content-type'] }) },
  'id-unused': after(as(987_654)),
  'id-text': after((wire, ask) => as(String(ask.id))(wire)),
  'id-null': after(as(null)),
  'id-over': after((wire, ask) => as(Number(ask.id) - 1)(wire)),
  late: {
    async bad(wire, ask) {
      await pause(600)
      wire.answer(ask, text('late'))
      wire.note('answered')
    },
  },
  429: status(429, { 'retry-after': '2' }),
  500: status(500),
  502: status(502, { 'content-type': 'text/html' }),
  503: status(503, { 'retry-after': '2' }),
  401: status(401, { 'www-authenticate': 'Bearer' }),
  redirect: { bad: (wire) => wire.response.writeHead(307, { location: wire.elsewhere }).end() },
  /** Accepts only the last issued token, unless it was revoked. */
  tokens: {
    'tools/call'(wire, ask) {
      if (wire.request.headers.authorization === wire.issuer.good) return wire.answer(ask, text('3'))
      const metadata = `${wire.origin}/.well-known/oauth-protected-resource${wire.request.url}`
      wire.response.writeHead(401, { 'www-authenticate': `Bearer error="invalid_token", resource_metadata="${metadata}"` }).end()
    },
  },
  'no-type': { bad: (wire, ask) => wire.last(response(ask.id, text('complete'))) },
  'unknown-type': { bad: (wire, ask) => wire.last(response(ask.id, { ...text('for the model'), resultType: 'later' })) },
  /** Completes each call and notes it. */
  writes: {
    'tools/list'(wire, ask) {
      const inputSchema = { type: 'object', properties: { id: { type: 'string' } } }
      const work = { name: 'work', inputSchema, annotations: { readOnlyHint: true } }
      wire.answer(ask, { tools: [work, { name: 'risky', inputSchema }], ttlMs: 0, cacheScope: 'private' })
    },
    async 'tools/call'(wire, ask) {
      const { id } = ask.params.arguments
      await pause(Math.random() * 30)
      wire.note(`done ${id}`)
      wire.answer(ask, text(`done ${id}`))
    },
  },
  /** Calls back through the gateway and passes the hop count on. */
  round: {
    async bad(wire, ask) {
      wire.note(`hop ${JSON.stringify(ask.params._meta?.['dev.toolwire/hops'])}`)
      const headers = { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
      const params = { ...ask.params, name: 'loop__bad' }
      const answer = await fetch(ask.params.arguments.back, {
        method: 'POST',
        headers: { ...headers, 'mcp-method': 'tools/call', 'mcp-name': 'loop__bad' },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++now, method: 'tools/call', params }),
      })
      const body = await answer.text()
      wire.answer(ask, text(body.replace(/^.*?data: /s, '')))
    },
  },
}
