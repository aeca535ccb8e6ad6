// Describes calls by OpenTelemetry's semantic conventions.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
import { type Attributes, SpanKind } from '@opentelemetry/api'
import { visibleLine } from '../../text/visible.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'

/** Shared by all calls of a tool, so it holds nothing from a caller. */
export type ToolDescription = { readonly span: string; readonly kind: SpanKind; readonly attributes: Attributes }

/** Tools are described once, when they are first called. */
export function toolDescriber(): (call: ToolCall) => ToolDescription {
  const known = new WeakMap<ReadyTool, ToolDescription & { readonly server: string | undefined }>()
  return (call) => {
    const { tool } = call
    const server = calledServer(call)
    const before = known.get(tool)
    if (before && before.server === server) return before
    const described = { ...describe(tool, server), server }
    known.set(tool, described)
    return described
  }
}

/** The server that a call is sent to; undefined for an incoming call, even if another server has the tool. */
export const calledServer = ({ server, context }: ToolCall): string | undefined => (context.carry ? server : undefined)

function describe(tool: ReadyTool, server: string | undefined): ToolDescription {
  const name = label(tool.name)
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    ...(server !== undefined && serverAddress(server)),
  }
  const kind = server === undefined ? SpanKind.SERVER : SpanKind.CLIENT
  return { span: `tools/call ${name}`, kind, attributes: Object.freeze(attributes) }
}

/** A server without a name is known by its URL or command line, which may contain secrets. Only safe parts are recorded. */
function serverAddress(server: string): Attributes {
  if (/^https?:/i.test(server) && URL.canParse(server)) return addressOf(new URL(server))
  return /^[\w.-]{1,64}$/.test(server) ? { 'toolwire.server.name': server } : {}
}

const addressOf = ({ hostname, port, protocol }: URL): Attributes => ({
  'server.address': label(hostname),
  'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
})

const longestLabel = 128

/** An untrusted word, fit for recording: on one line, shortened, with hidden characters written as \u{…}. */
export const label = (text: string): string => visibleLine(text.slice(0, longestLabel)).slice(0, 2 * longestLabel)
