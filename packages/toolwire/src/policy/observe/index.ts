import { context, INVALID_TRACEID, type MeterProvider, type TracerProvider, trace } from '@opentelemetry/api'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { someFunction, someObject, trueOrFalse } from '../../tools/checks/option-values.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { watchCall } from './call-span.js'
import { instrumentationScope, instrumentsOf } from './instruments.js'
import { contentRecorder, type ObserveContentOptions } from './recorded-content.js'
import { spanParentOf, traceMeta } from './span-parent.js'
import { toolDescriber } from './tool-description.js'

export type ObserveOptions = ObserveContentOptions & {
  /** Makes the spans; by default the provider that the process has registered. */
  tracerProvider?: TracerProvider
  /** Takes the measurements; by default the provider that the process has registered. */
  meterProvider?: MeterProvider
  /** False ignores the baggage of incoming calls and sends none along. */
  baggage?: boolean
}

const known = optionsOf<ObserveOptions>()({
  'content baggage': trueOrFalse,
  redact: someFunction,
  tracerProvider: someObject,
  meterProvider: someObject,
})

/**
 * Records a span and a measurement for every call, as OpenTelemetry defines them. Put it first, so that it sees the calls that others
 * refuse.
 *
 * @example
 * ```ts
 * const policies = [observe()]
 * ```
 */
export function observe(options: ObserveOptions = {}): Policy {
  checkOptions('observe()', options, known)
  const { tracerProvider = trace, baggage = true } = options
  const tracer = tracerProvider.getTracer(instrumentationScope)
  const instruments = instrumentsOf(options.meterProvider)
  const describe = toolDescriber()
  const kept = contentRecorder(options)

  function begin(call: ToolCall) {
    const description = describe(call)
    const { span: name, kind, attributes } = description
    const { parent, links } = spanParentOf(call, baggage)
    const span = tracer.startSpan(name, { kind, attributes, links }, parent)
    // A span that is in no trace, because nobody listens, need not be active.
    const here = span.spanContext().traceId === INVALID_TRACEID ? parent : trace.setSpan(parent, span)
    call.context.carry?.(traceMeta(here, { meta: call.context.meta, bringsBaggage: baggage }))
    return { here, ...watchCall({ call, span, here, description, instruments: instruments(kind), kept }) }
  }

  return {
    name: 'observe',
    async call(call, next) {
      const observation = begin(call)
      try {
        const result = await context.with(observation.here, next, undefined, call)
        observation.returned(result)
        return result
      } catch (thrown) {
        observation.threw(thrown)
        throw thrown
      }
    },
  }
}
