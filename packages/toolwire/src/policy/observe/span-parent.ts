import { type Context, context, isSpanContextValid, type Link, propagation, type SpanContext, trace } from '@opentelemetry/api'
import type { JsonObject } from '../../json.js'
import type { ToolCall } from '../../tools/tool.js'
import { readBaggage, writeBaggage } from './baggage.js'
import { calledServer } from './tool-description.js'
import { readTraceContext, writeTraceContext } from './trace-context.js'

/** The parent of a call's span, and links to other spans. */
type SpanParent = { readonly parent: Context; readonly links: Link[] }

/** The span that `_meta` names is the parent. The active span here, such as the HTTP request's, becomes only a link. */
export function spanParentOf(call: ToolCall, takesBaggage: boolean): SpanParent {
  const { meta } = call.context
  const active = context.active()
  const carried = takesBaggage ? withBaggage(active, meta) : active
  const named = readTraceContext(meta)
  if (!named) return { parent: carried, links: [] }
  const ambient = ambientIn(active)
  // If both are in one trace, the span that is active here is closer to a client's call than the one in `_meta`.
  if (calledServer(call) !== undefined && ambient?.traceId === named.traceId) return { parent: carried, links: [] }
  const links = ambient && ambient.spanId !== named.spanId ? [{ context: ambient }] : []
  return { parent: trace.setSpanContext(carried, named), links }
}

/** The `_meta` of a call to another server, with its place in the trace. */
export function traceMeta(here: Context, { meta, bringsBaggage }: { meta: JsonObject; bringsBaggage: boolean }): JsonObject {
  const span = trace.getSpanContext(here)
  const place = span ? writeTraceContext(span) : {}
  const bag = bringsBaggage ? propagation.getBaggage(here) : undefined
  const baggage = bag && writeBaggage(bag)
  const { tracestate, ...rest } = meta
  // The old `tracestate` belongs to the old `traceparent`, which is replaced.
  const kept = place.traceparent === undefined ? meta : rest
  return { ...kept, ...place, ...(baggage !== undefined && { baggage }) }
}

function withBaggage(active: Context, { baggage }: JsonObject): Context {
  if (baggage === undefined) return active
  const read = readBaggage(baggage)
  return read ? propagation.setBaggage(active, read) : active
}

function ambientIn(active: Context): SpanContext | undefined {
  const ambient = trace.getSpanContext(active)
  return ambient && isSpanContextValid(ambient) ? ambient : undefined
}
