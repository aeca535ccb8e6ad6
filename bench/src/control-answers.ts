// Answers of the bare controls: they parse a request, read its method and write an answer of the same size, without checks.
import { fillerCount, fillerDescription, fillerNames, fillerSchema } from './filler.js'

export interface Asked {
  id?: string | number
  method: string
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }
}

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties, required: Object.keys(properties) })

const tools = [
  { name: 'echo', description: 'Returns the text it was given', inputSchema: object({ text: { type: 'string' } }) },
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
    outputSchema: object({ sum: { type: 'number' } }),
  },
  { name: 'big', description: 'Returns a text of so many bytes', inputSchema: object({ bytes: { type: 'integer' } }) },
  ...fillerNames(fillerCount()).map((name) => ({ name, description: fillerDescription, inputSchema: fillerSchema })),
]

const serverInfo = { name: 'bench', version: '1.0.0' }

const opened = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo }

function text(value: string) {
  return { content: [{ type: 'text', text: value }], isError: false }
}

function called(name: string | undefined, values: Record<string, unknown> = {}) {
  if (name === 'echo') return text(String(values.text))
  if (name === 'big') return text('x'.repeat(Number(values.bytes)))
  if (name === 'touch') return text('touched')
  const sum = Number(values.a) + Number(values.b)
  return { content: [{ type: 'text', text: `{"sum":${sum}}` }], structuredContent: { sum }, isError: false }
}

const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true } },
  ttlMs: 0,
  cacheScope: 'private',
}

function resultOf(asked: Asked): object {
  if (asked.method === 'server/discover') return discovered
  if (asked.method === 'tools/call') return called(asked.params?.name, asked.params?.arguments)
  if (asked.method === 'tools/list') return { tools }
  return opened
}

/** The answer as text, with the fields of 2026-07-28 if the request carries that revision's metadata. */
export function answerOf(asked: Asked): string {
  const result = resultOf(asked)
  if (!asked.params?._meta) return JSON.stringify({ jsonrpc: '2.0', id: asked.id, result })
  const hints = asked.method === 'tools/list' ? { ttlMs: 0, cacheScope: 'private' } : {}
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
  return JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: { resultType: 'complete', ...result, ...hints, _meta } })
}
