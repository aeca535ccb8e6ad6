// Trace context of a call, as it is written in `_meta`. https://www.w3.org/TR/trace-context/
import { createTraceState, type SpanContext, TraceFlags } from '@opentelemetry/api'
import type { Json, JsonObject } from '../../json.js'
import { traceForms } from '../../tools/checks/trace-forms.js'

// Future versions may continue after the flags, but the parts before that will not change.
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
const knownVersion = '00'
const knownLength = 55

/** The span that a request comes from; undefined if it is missing or malformed. */
export function readTraceContext({ traceparent, tracestate }: JsonObject): SpanContext | undefined {
  const parent = readTraceparent(traceparent)
  return parent && typeof tracestate === 'string' && tracestate !== ''
    ? { ...parent, traceState: createTraceState(tracestate) }
    : parent
}

export function readTraceparent(value: Json | undefined): SpanContext | undefined {
  if (typeof value !== 'string') return undefined
  const [, version, traceId, spanId, flags] = form.exec(value) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === knownVersion && value.length !== knownLength) return undefined
  return { traceId, spanId, traceFlags: sampledIn(Number.parseInt(flags, 16)), isRemote: true }
}

/** The members of `_meta` that name the span; none for a span without a trace. */
export function writeTraceContext(span: SpanContext): { traceparent?: string; tracestate?: string } {
  const traceparent = `${knownVersion}-${span.traceId}-${span.spanId}-0${sampledIn(span.traceFlags)}`
  if (readTraceparent(traceparent) === undefined) return {}
  const tracestate = span.traceState?.serialize()
  return tracestate && traceForms.get('tracestate')?.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}

/** Other flags have no meaning yet, and are not passed on. */
const sampledIn = (flags: number): number => flags & TraceFlags.SAMPLED
