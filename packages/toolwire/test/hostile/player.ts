// Plays a server that behaves well except for the given fault.
import { isObject, type JsonObject } from '../../src/json.js'
import { type Ask, complete, type Fault, response, type Script, text, type Wire } from './fault.js'

const versions = { handshake: '2025-11-25', 'per-request': '2026-07-28' } as const
const capabilities = { tools: { listChanged: true } }
const serverInfo = { name: 'hostile', version: '1.0.0' }
const kept = { ttlMs: 0, cacheScope: 'private' }

/** Handles one message of the client: by the fault, or else correctly. */
export async function play(fault: Fault, wire: Wire, ask: Ask): Promise<void> {
  wire.note(nameOf(ask))
  if (fault.first?.(wire, ask)) return
  const script = fault.on?.[scriptOf(ask)] ?? usual(fault)[ask.method ?? '']
  if (script) await script(wire, ask)
  else if (ask.id !== undefined && ask.method !== undefined) unknownMethod(wire, ask)
}

function usual(fault: Fault): Readonly<Record<string, Script>> {
  return {
    initialize: (wire, ask) => {
      if (wire.style === 'handshake') {
        wire.answer(ask, { protocolVersion: versions.handshake, capabilities, serverInfo })
      } else unknownMethod(wire, ask)
    },
    'server/discover': (wire, ask) => {
      if (wire.style === 'handshake') unknownMethod(wire, ask)
      else wire.answer(ask, { supportedVersions: [versions['per-request']], capabilities, ...kept })
    },
    'tools/list': (wire, ask) => wire.answer(ask, { tools: listed(fault, wire) as JsonObject[], ...kept }),
    'tools/call': (wire, ask) => wire.answer(ask, echoed(ask)),
    ping: (wire, ask) => wire.answer(ask, {}),
  }
}

function listed(fault: Fault, wire: Wire): unknown[] {
  const more = typeof fault.bad === 'function' ? fault.bad(wire) : fault.bad
  const bad = { name: 'bad', inputSchema: { type: 'object' }, ...more }
  return [{ name: 'echo', inputSchema: { type: 'object' } }, bad, ...(fault.tools?.(wire) ?? [])]
}

function echoed({ params }: Ask): JsonObject {
  const said = isObject(params?.arguments) ? params.arguments.text : undefined
  return text(typeof said === 'string' ? said : 'ok')
}

const unknownMethod: Script = (wire, ask) =>
  wire.last({ jsonrpc: '2.0', id: ask.id, error: { code: -32601, message: 'Method not found' } })

const calledTool = ({ method, params }: Ask) => (method === 'tools/call' ? String(params?.name) : undefined)
const nameOf = (ask: Ask) => (calledTool(ask) ? `call:${calledTool(ask)}` : (ask.method ?? 'response'))
const scriptOf = (ask: Ask) => (calledTool(ask) === 'bad' ? 'bad' : (ask.method ?? 'response'))

export const answerOf = (wire: Wire, ask: Ask, result: JsonObject) => response(ask.id, complete(wire, result))
