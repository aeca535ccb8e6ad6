// The OpenTelemetry SDK with in-memory exporters.
import { context, metrics, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEachTest, beforeEachTest } from '../../each-test.js'

/** One data point of a histogram of durations. */
export type Durations = { readonly count: number; readonly sum?: number; readonly buckets: { boundaries: number[] } }
export type Measured<T> = Pick<DataPoint<T>, 'attributes' | 'value'>

const unregister = () => {
  for (const api of [context, trace, metrics, propagation]) api.disable()
}

const open: (() => Promise<void>)[] = []
// An earlier file in this process may have registered providers, and the first registration wins.
beforeEachTest(unregister)
afterEachTest(async () => {
  unregister()
  for (const shutDown of open.splice(0)) await shutDown()
})

/** Providers that are not registered globally. */
export function sdk() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({
    sampler: new AlwaysOnSampler(), // ignores the decision of a parent
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  open.push(async () => {
    await tracerProvider.shutdown()
    await meterProvider.shutdown()
  })

  async function metric(name: string): Promise<MetricData | undefined> {
    await reader.forceFlush()
    const all = measured
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics)
    return all?.find(({ descriptor }) => descriptor.name === name)
  }

  return {
    tracerProvider,
    meterProvider,
    /** The ended spans, in the order of their end. */
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    metric,
    durations: async (name: string) => ((await metric(name))?.dataPoints ?? []) as Measured<Durations>[],
    counts: async (name: string) => ((await metric(name))?.dataPoints ?? []) as Measured<number>[],
  }
}

/** The same providers, registered globally as at the start of a process. */
export function registerTelemetry() {
  const made = sdk()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(made.tracerProvider)
  metrics.setGlobalMeterProvider(made.meterProvider)
  return made
}

export const idsOf = (span: ReadableSpan | undefined) => {
  const { traceId, spanId } = span?.spanContext() ?? {}
  return { traceId, spanId, parent: span?.parentSpanContext?.spanId }
}
