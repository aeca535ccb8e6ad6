// HTTP statuses, redirects and sessions. Row 11.
import { alike, type Fault, type Script, type Wire } from '../fault.js'

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Script =>
  ({ http }) =>
    http?.response.writeHead(code, headers).end(body)

const once = { 'call:bad': 1 }
const html = { 'content-type': 'text/html' }

const refusals = alike({ rows: [11], over: 'http' }, [
  {
    name: '429 with Retry-After',
    on: { bad: status(429, { 'retry-after': '2' }) },
    shows: { fails: 'turned_away', status: 429, retryAfterMs: 2_000, seen: once },
  },
  {
    name: '503 with Retry-After',
    on: { bad: status(503, { 'retry-after': '2' }) },
    shows: { fails: 'outcome_unknown', status: 503, retryAfterMs: 2_000, seen: once },
  },
  {
    name: '429 with a very long Retry-After',
    on: { bad: status(429, { 'retry-after': '9'.repeat(40) }) },
    shows: { fails: 'turned_away', status: 429, seen: once },
  },
  { name: '500', on: { bad: status(500) }, shows: { fails: 'outcome_unknown', status: 500, seen: once } },
  {
    name: '502 with a page',
    on: { bad: status(502, html, '<h1>Bad Gateway</h1>') },
    shows: { fails: 'outcome_unknown', status: 502, seen: once },
  },
  {
    name: '401 in mid-session',
    on: { bad: status(401, { 'www-authenticate': 'Bearer' }) },
    shows: { fails: 'turned_away', status: 401, seen: once },
  },
  { name: '403', on: { bad: status(403) }, shows: { fails: 'turned_away', status: 403, seen: once } },
  { name: '418', on: { bad: status(418) }, shows: { fails: 'outcome_unknown', status: 418, seen: once } },
])

const location = (wire: Wire, code: number, to: string) => wire.http?.response.writeHead(code, { location: to }).end()
const sentAway = {
  fails: 'turned_away',
  withinMs: 500,
  seen: { ...once, elsewhere: 0, 'elsewhere with credentials': 0 },
} as const

const redirects = alike({ rows: [11], over: 'http', options: () => ({ auth: { token: 'secret' } }) }, [
  ...[301, 302, 303, 307, 308].map(
    (code): Fault => ({
      name: `a redirect (${code}) to another origin`,
      on: { bad: (wire) => location(wire, code, wire.elsewhere) },
      shows: sentAway,
    }),
  ),
  {
    name: 'a redirect to itself',
    on: { bad: (wire) => location(wire, 307, wire.http?.request.url ?? '') },
    shows: { ...sentAway, seen: { 'call:bad': [1, 4] } },
  },
  { name: 'a redirect to nowhere', on: { bad: (wire) => location(wire, 307, 'http://[bad') }, shows: sentAway },
  {
    name: 'a redirect at the very first',
    first: (wire) => location(wire, 307, wire.elsewhere) !== undefined,
    shows: { fails: 'turned_away', seen: { elsewhere: 0, 'elsewhere with credentials': 0 } },
  },
])

const renamed =
  (id: string): Script =>
  (wire, ask) => {
    wire.http?.response.setHeader('mcp-session-id', id)
    wire.answer(ask, { content: [] })
  }

/** Records any session id that differs from the first. */
const watchSession: Fault['first'] = ({ http, note }, { method }) => {
  const id = http?.request.headers['mcp-session-id']
  if (method !== 'initialize' && method !== 'server/discover' && id !== 'session-1') note('forged')
  return false
}

const sessions = alike({ rows: [11], over: 'http', style: 'handshake' }, [
  {
    name: 'a session id that changes',
    on: { bad: renamed('session-2') },
    first: watchSession,
    does: async (client) => {
      await client.call('bad')
      return (await client.call('bad')).content.length
    },
    shows: { gives: 0, seen: { forged: 0, initialize: 1 } },
  },
  {
    name: 'a session that is forgotten at once, always',
    on: { bad: status(404) },
    shows: { fails: 'disconnected', withinMs: 1_000, seen: { 'call:bad': [1, 3], initialize: [1, 3] } },
  },
  ...Object.entries({ 'a control character': 'a\u0001b', 'a space': 'a b', 'a byte beyond ASCII': 'caf\u00e9', nothing: '' }).map(
    ([what, id]): Fault => ({
      name: `a session id with ${what}`,
      on: { initialize: (wire, ask) => initializeAs(wire, id, ask.id) },
      first: (wire, { method }) => {
        if (method !== 'initialize' && wire.http?.request.headers['mcp-session-id'] !== undefined) wire.note('believed')
        return false
      },
      does: async (client) => client.call('bad'),
      shows: { seen: { believed: 0 } },
    }),
  ),
])

/** Written byte by byte, because no HTTP library would send such a header. */
function initializeAs({ http }: Wire, session: string, id: unknown): void {
  const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, result })
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `mcp-session-id: ${session}`,
  ]
  http?.request.socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
}

export const statuses = [...refusals, ...redirects, ...sessions]
