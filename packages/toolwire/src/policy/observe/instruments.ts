import { type Counter, type Histogram, type Meter, type MeterProvider, metrics, SpanKind } from '@opentelemetry/api'

export type Instruments = { readonly duration: Histogram; readonly refusals: Counter }

export const instrumentationScope = 'toolwire'

/** Bucket boundaries of OpenTelemetry's conventions. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** Looks the provider up for each call, because a process may register it after the policy was made. */
export function instrumentsOf(given: MeterProvider | undefined): (kind: SpanKind) => Instruments {
  let provider: MeterProvider | undefined
  const made = new Map<SpanKind, Instruments>()
  return (kind) => {
    const current = given ?? metrics.getMeterProvider()
    if (current !== provider) made.clear()
    provider = current
    const before = made.get(kind)
    if (before) return before
    const instruments = make(current.getMeter(instrumentationScope), kind === SpanKind.SERVER ? 'server' : 'client')
    made.set(kind, instruments)
    return instruments
  }
}

const make = (meter: Meter, side: 'server' | 'client'): Instruments => ({
  duration: meter.createHistogram(`mcp.${side}.operation.duration`, {
    description: side === 'server' ? 'Time to answer requests' : 'Time until requests were answered',
    unit: 's',
    advice: { explicitBucketBoundaries: boundaries },
  }),
  refusals: meter.createCounter(`toolwire.${side}.refusals`, { description: 'Calls that a policy has refused', unit: '{call}' }),
})
