// What of `_meta` goes on to the other side. spec 2026-07-28, basic/index#meta
import type { JsonObject } from 'toolwire'

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const form = new RegExp(`^(?:(?<prefix>${label}(?:\\.${label})*)/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
const kept: ReadonlySet<string | undefined> = new Set(['mcp', 'modelcontextprotocol'])
const own = 'io.modelcontextprotocol/'
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** Between two neighbours only: the next one has a token of its own. */
const neighbours: ReadonlySet<string> = new Set(['progressToken', 'tracestate', 'baggage'])

/** What the protocol says between two neighbours stays between them; what is said to the far side goes on. */
export function passedMeta(meta: JsonObject | undefined): JsonObject | undefined {
  const passed = Object.entries(meta ?? {}).filter(([key, value]) => goesOn(key) && (key !== 'traceparent' || isTrace(value)))
  return passed.length > 0 ? Object.fromEntries(passed) : undefined
}

const isTrace = (value: unknown): boolean => typeof value === 'string' && traceparent.test(value)

function goesOn(key: string): boolean {
  if (key.startsWith(own)) return false // nearly all there is, and plain to see
  const read = form.exec(key)
  if (!read || neighbours.has(key)) return false
  const labels = read.groups?.prefix?.split('.') ?? []
  return !kept.has(labels.at(-2)) && !kept.has(labels[1])
}
