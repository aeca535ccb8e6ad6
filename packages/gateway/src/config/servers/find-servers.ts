import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { jsonPointer, pointerSegments } from '../documents/document.js'

/** The keys that hosts keep servers under: Claude and most others, VS Code, Zed, Codex, VS Code's settings, Amp; opencode is separate. */
const places = [
  '/mcpServers',
  '/servers',
  '/context_servers',
  '/mcp_servers',
  '/mcp/servers',
  '/mcp/mcpServers',
  '/amp.mcpServers',
]

export type WrittenEntry = { readonly name: string; readonly at: string; readonly value: JsonObject }

/** All servers of a config, in order. A name that occurs in two places is refused. */
export function findServers(config: JsonObject): WrittenEntry[] {
  const found = [...places.flatMap((at) => serversAt(config, at)), ...opencode(config)]
  const names = new Set<string>()
  for (const { name, at } of found) {
    if (names.has(name)) throw problem(at, `there is another server called ${JSON.stringify(name)}; rename one of them`)
    names.add(name)
  }
  return found
}

function serversAt(config: JsonObject, at: string): WrittenEntry[] {
  const value = valueAt(config, pointerSegments(at))
  if (value === undefined || value === null) return []
  if (!isObject(value)) throw problem(at, 'an object is expected, with a server under each name')
  return Object.entries(value).map(([name, server]) => {
    const place = at + jsonPointer(name)
    if (!isObject(server)) throw problem(place, 'an object is expected: { "command": … } or { "url": … }')
    return { name, at: place, value: server }
  })
}

/** opencode and Crush keep servers directly under `mcp`, beside nothing else. */
function opencode({ mcp }: JsonObject): WrittenEntry[] {
  if (!isObject(mcp) || 'servers' in mcp || 'mcpServers' in mcp) return []
  return Object.entries(mcp).flatMap(([name, value]) =>
    isObject(value) && ('command' in value || 'url' in value) ? [{ name, at: jsonPointer('mcp', name), value }] : [],
  )
}

/** The value at a path, reading own properties only. */
export function valueAt(config: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = config
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}
