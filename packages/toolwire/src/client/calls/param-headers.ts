// `Mcp-Param-*` headers of a call: headers that repeat its arguments, and headers relayed from an earlier client.
// spec 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
import type { JsonObject } from '../../json.js'
import { paramHeaders } from '../../revisions/param-headers/write-headers.js'
import { InvalidArguments } from '../errors.js'
import type { KnownTool } from './known-tool.js'

/** Alternating names and values; undefined if there are none. */
export function paramHeadersOf(tool: KnownTool | undefined, args: JsonObject, others: readonly string[] | undefined) {
  const own = tool && tool.mirrored.length > 0 ? mirroredHeaders(tool, args) : undefined
  return others ? [...(own ?? []), ...relayedHeaders(others, tool)] : own
}

function mirroredHeaders(tool: KnownTool, args: JsonObject): readonly string[] {
  try {
    return paramHeaders(tool.mirrored, args)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new InvalidArguments(`Invalid arguments for ${tool.name}: ${thrown.message}`, 'client')
  }
}

const param = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/

/** Keeps only valid parameter headers, without those that the tool mirrors from its arguments. */
function relayedHeaders(others: readonly string[], tool: KnownTool | undefined): readonly string[] {
  const named = new Set(tool?.mirrored.map(({ header }) => `mcp-param-${header.toLowerCase()}`))
  return others.filter((_, at) => {
    const [name = '', value = ''] = others.slice(at - (at % 2))
    const lower = name.toLowerCase()
    return param.test(lower) && sendable.test(value) && !named.has(lower)
  })
}
