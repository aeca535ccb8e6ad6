// What of a request goes on to an upstream, and what of its result comes back.
import { type Context, type Json, type JsonObject, ToolError, type ToolResult } from 'toolwire'
import type { ToolCallError } from 'toolwire/client'
import type { CallOrigin } from '../upstreams/suspended-call.js'

/** Through how many gateways a request has come: those that lead to each other would pass it round for ever. */
const hopsKey = 'dev.toolwire/hops'
const mostHops = 5
/** What nearly all requests say. */
const firstHop: JsonObject = Object.freeze({ [hopsKey]: 1 })

/** What a request to an upstream says about the caller it is made for. */
export function callerRequest({ caller, peer, meta, askable, promoteToTask, paramHeaders }: CallerRequest): CallOrigin {
  const hops = hopsIn(meta[hopsKey]) + 1
  if (hops > mostHops) throw new ToolError(goesRound)
  const passed = forwardedMeta(meta)
  return {
    meta: passed || hops > 1 ? { ...passed, [hopsKey]: hops } : firstHop,
    // An upstream may only ask what its caller can be asked.
    asks: askable,
    // Strangers share one name. What tells them apart is the session or the pipe that they came on, and never what they say of themselves.
    onBehalfOf: caller.anonymous ? (peer ?? {}) : caller.id,
    // A caller who has a task, or can be given one, has time for more than a call at the upstream.
    asTask: promoteToTask !== undefined,
    // What is not marked here is meant for somebody further on. spec 2026-07-28, basic/transports/streamable-http#server-behavior-for-custom-headers
    paramHeaders,
  }
}

type CallerRequest = Pick<Context, 'caller' | 'peer' | 'meta' | 'askable' | 'promoteToTask' | 'paramHeaders'>

const hopsIn = (said: unknown): number => (typeof said === 'number' && said > 0 ? Math.ceil(said) : 0)

const goesRound = `The call has come through ${mostHops} gateways: they lead to each other; take one out of the config of another`

export function toToolResult({ content, isError, structuredContent, _meta }: ToolCallError['result']): ToolResult {
  const result: Writable<ToolResult> = { content, isError: isError === true }
  if (structuredContent !== undefined) result.structured = structuredContent
  const meta = forwardedMeta(_meta)
  if (meta) result.meta = meta
  return result
}

/** Member by member: spreading takes several times as long. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** spec 2026-07-28, basic/index#meta */
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
