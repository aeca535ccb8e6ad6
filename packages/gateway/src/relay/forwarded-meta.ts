// What of `_meta` goes on to the other side. spec 2026-07-28, basic/index#meta
import type { Json, JsonObject } from 'toolwire'

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const form = new RegExp(`^(?:(?<prefix>${label}(?:\\.${label})*)/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
const kept: ReadonlySet<string | undefined> = new Set(['mcp', 'modelcontextprotocol'])
const own = 'io.modelcontextprotocol/'
/** Between two neighbours only: the next one has a token of its own. */
const neighbours: ReadonlySet<string> = new Set(['progressToken'])

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** What could stand in a header. https://www.w3.org/TR/trace-context/ and https://www.w3.org/TR/baggage/ say how long it may be at least. */
const headerOf = (most: number) => (value: Json) => typeof value === 'string' && value.length <= most && /^[\t -~]+$/.test(value)
const traces: { readonly [key: string]: (value: Json) => boolean } = {
  traceparent: (value) => typeof value === 'string' && traceparent.test(value),
  tracestate: headerOf(512),
  baggage: headerOf(8_192),
}

/** What the protocol says between two neighbours stays between them; what is said to the far side goes on. */
export function forwardedMeta(meta: JsonObject | undefined): JsonObject | undefined {
  let passed: JsonObject | undefined
  for (const key in meta) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined
    if (value === undefined || !goesOn(key, value)) continue
    passed ??= {}
    set(passed, key, value)
  }
  return passed
}

/** `__proto__` is a key like any other. */
const set = (object: JsonObject, key: string, value: Json): void =>
  void Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })

function goesOn(key: string, value: Json): boolean {
  if (key.startsWith(own)) return false // nearly all there is, and plain to see
  const read = form.exec(key)
  if (!read || neighbours.has(key)) return false
  if (Object.hasOwn(traces, key)) return traces[key]?.(value) ?? false
  const labels = read.groups?.prefix?.split('.') ?? []
  return !kept.has(labels.at(-2)) && !kept.has(labels[1])
}
