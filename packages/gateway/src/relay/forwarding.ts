// Selects the parts of a request that go on to an upstream, and the parts of its result that come back.
import { type Caller, type Context, type Json, type JsonObject, ToolError, type ToolResult } from 'toolwire'
import type { ToolCallError } from 'toolwire/client'
import type { CallOrigin } from '../upstreams/suspended-call.js'

/** The number of gateways that a request has passed. Gateways that lead to each other would forward it for ever. */
const hopsKey = 'dev.toolwire/hops'
const mostHops = 5
/** Shared by nearly all requests. */
const firstHop: JsonObject = Object.freeze({ [hopsKey]: 1 })

/** The caller's data for a request to an upstream. */
export function callerRequest({ caller, peer, meta, askable, promoteToTask, paramHeaders }: CallerRequest): CallOrigin {
  return {
    meta: relayedMeta(meta),
    // An upstream may only ask questions that the caller supports.
    asks: askable,
    onBehalfOf: partyOf(caller, peer),
    // A caller with support for tasks can wait longer than a plain call takes.
    asTask: promoteToTask !== undefined,
    // Headers that are not marked here are meant for servers further on. spec 2026-07-28,
    // basic/transports/streamable-http#server-behavior-for-custom-headers
    paramHeaders,
  }
}

/**
 * The party that a request is made for. Anonymous callers share one name. They are told apart by session or pipe, because a name of their
 * own choice is not verified.
 */
export const partyOf = ({ id, anonymous }: Caller, peer: object = {}): string | object => (anonymous ? peer : id)

type CallerRequest = Pick<Context, 'caller' | 'peer' | 'meta' | 'askable' | 'promoteToTask' | 'paramHeaders'>

/** The metadata of a request to an upstream, with one more hop. Throws if there are too many. */
export function relayedMeta(meta: JsonObject): JsonObject {
  const hops = hopsIn(meta[hopsKey]) + 1
  if (hops > mostHops) throw new ToolError(gatewayLoop)
  const passed = forwardedMeta(meta)
  return passed || hops > 1 ? { ...passed, [hopsKey]: hops } : firstHop
}

const hopsIn = (said: unknown): number => (typeof said === 'number' && said > 0 ? Math.ceil(said) : 0)

const gatewayLoop = `The call has passed ${mostHops} gateways, because they lead to each other. Remove one of them from the config of another`

export function toToolResult({ content, isError, structuredContent, _meta }: ToolCallError['result']): ToolResult {
  const result: Writable<ToolResult> = { content, isError: isError === true }
  if (structuredContent !== undefined) result.structured = structuredContent
  const meta = forwardedMeta(_meta)
  if (meta) result.meta = meta
  return result
}

/** Members are assigned one by one, because spreading takes several times as long. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** spec 2026-07-28, basic/index#meta */
const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const metaKeyPattern = new RegExp(`^(?:(?<prefix>${label}(?:\\.${label})*)/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
const reservedLabels: ReadonlySet<string | undefined> = new Set(['mcp', 'modelcontextprotocol'])
const protocolPrefix = 'io.modelcontextprotocol/'
/** Keys between two neighbours only: each connection has its own token. */
const hopByHopKeys: ReadonlySet<string> = new Set(['progressToken'])

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** A valid header value. Minimum lengths to support: https://www.w3.org/TR/trace-context/ and https://www.w3.org/TR/baggage/. */
const isHeaderValue = (most: number) => (value: Json) =>
  typeof value === 'string' && value.length <= most && /^[\t -~]+$/.test(value)
const isValidTrace: { readonly [key: string]: (value: Json) => boolean } = {
  traceparent: (value) => typeof value === 'string' && traceparent.test(value),
  tracestate: isHeaderValue(512),
  baggage: isHeaderValue(8_192),
}

/** The metadata to forward: keys of the protocol stay between neighbours, all others are for the far side. */
export function forwardedMeta(meta: JsonObject | undefined): JsonObject | undefined {
  let passed: JsonObject | undefined
  for (const key in meta) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined
    if (value === undefined || !isForwarded(key, value)) continue
    passed ??= {}
    set(passed, key, value)
  }
  return passed
}

/** Sets any key, including `__proto__`. */
const set = (object: JsonObject, key: string, value: Json): void =>
  void Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })

function isForwarded(key: string, value: Json): boolean {
  if (key.startsWith(protocolPrefix)) return false // by far the most frequent keys
  const read = metaKeyPattern.exec(key)
  if (!read || hopByHopKeys.has(key)) return false
  if (Object.hasOwn(isValidTrace, key)) return isValidTrace[key]?.(value) ?? false
  const labels = read.groups?.prefix?.split('.') ?? []
  return !reservedLabels.has(labels.at(-2)) && !reservedLabels.has(labels[1])
}
