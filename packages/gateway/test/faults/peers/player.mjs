// The methods of a well-behaved server in both revisions. Scripts override them.
export const versions = { handshake: '2025-11-25', 'per-request': '2026-07-28' }
export const text = (words) => ({ content: [{ type: 'text', text: words }] })
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const notification = (method, params = {}) => ({ jsonrpc: '2.0', method, params })
export const response = (id, result) => ({ jsonrpc: '2.0', id, result })
export const complete = (style, result) => (style === 'per-request' ? { resultType: 'complete', ...result } : result)
export const tokenOf = ({ params }) => params?._meta?.progressToken ?? 0

const kept = { ttlMs: 0, cacheScope: 'private' }
const capabilities = { tools: { listChanged: true } }
const numbers = { a: { type: 'number' }, b: { type: 'number' } }
const tools = [
  { name: 'echo', inputSchema: { type: 'object' } },
  { name: 'bad', inputSchema: { type: 'object' } },
  { name: 'sum', inputSchema: { type: 'object', properties: numbers }, annotations: { readOnlyHint: true } },
  { name: 'pid', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
]

const unknown = (wire, ask) =>
  wire.last({ jsonrpc: '2.0', id: ask.id, error: { code: -32601, message: `There is no ${ask.method}` } })

const usual = {
  initialize(wire, ask) {
    if (wire.style === 'per-request') return unknown(wire, ask)
    const serverInfo = { name: 'peer', version: '1.0.0' }
    wire.answer(ask, { protocolVersion: versions.handshake, capabilities, serverInfo })
  },
  'server/discover'(wire, ask) {
    if (wire.style === 'handshake') return unknown(wire, ask)
    wire.answer(ask, { supportedVersions: [versions['per-request']], capabilities, ...kept })
  },
  'subscriptions/listen'(wire, ask) {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': ask.id }
    wire.say(notification('notifications/subscriptions/acknowledged', { _meta, notifications: { toolsListChanged: true } }))
  },
  'tools/list': (wire, ask) => wire.answer(ask, { tools, ...kept }),
  'tools/call'(wire, ask) {
    const { name, arguments: args = {} } = ask.params
    if (name === 'sum') wire.answer(ask, text(String(args.a + args.b)))
    else wire.answer(ask, text(name === 'pid' ? String(process.pid) : String(args.text ?? 'ok')))
  },
  ping: (wire, ask) => wire.answer(ask, {}),
}

/** Handles a message by the script, or as a well-behaved server. */
export async function play(scripts, wire, ask) {
  const isBad = ask.method === 'tools/call' && ask.params?.name === 'bad'
  wire.note(isBad ? 'bad' : (ask.method ?? 'response'))
  const script = scripts[isBad ? 'bad' : ask.method] ?? usual[ask.method]
  if (script) await script(wire, ask)
  else if (ask.id !== undefined && ask.method !== undefined) unknown(wire, ask)
}

/** Calls `act` a number of times within a duration, in steps of 10 ms. */
export async function flood(total, ms, act) {
  const began = Date.now()
  for (let done = 0; done < total; ) {
    const due = Math.min(total, Math.ceil((total * (Date.now() - began + 1)) / ms))
    while (done < due) act(++done)
    await pause(10)
  }
}
