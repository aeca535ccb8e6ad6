// Traces and metrics for OpenTelemetry, if the environment names an endpoint.
import type { Policy } from 'toolwire/guard'
import { withDeadline } from '../bounds/deadline.js'
import { installHint } from '../config/settings/install-hint.js'

export type Telemetry = {
  /** Observes every call, both when it comes in and when it goes on to an upstream. */
  readonly policy: Policy
  /** Sends pending data. */
  readonly close: () => Promise<void>
}

type Env = { readonly [name: string]: string | undefined }

/** Any of these turns telemetry on. https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const

/** Starts the SDK, which reads all other OTEL_* variables itself. Returns undefined if telemetry is off. */
export async function openTelemetry(env: Env): Promise<Telemetry | undefined> {
  const wanted = endpoints.find((name) => env[name])
  if (wanted === undefined || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  const { NodeSDK, resources } = await loadSdk(wanted)
  const sdk = new NodeSDK({
    // Command lines may hold secrets, so the process is described only on request.
    ...(!env.OTEL_NODE_RESOURCE_DETECTORS && { resourceDetectors: [resources.envDetector, resources.hostDetector] }),
    ...(!isNamed(env) && { serviceName: 'toolwire' }),
  })
  sdk.start()
  const { observe } = await import('toolwire/observe')
  // Spans that cannot be sent are lost, which the SDK logs if OTEL_LOG_LEVEL asks for it.
  return {
    policy: observe(),
    close: () =>
      withDeadline(
        closeMs,
        sdk.shutdown().catch(() => undefined),
        () => undefined,
      ),
  }
}

/** An unreachable collector does not keep the gateway from ending. */
const closeMs = 3_000

const isNamed = ({ OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes = '' }: Env): boolean =>
  Boolean(name) || /(?:^|,)\s*service\.name\s*=/.test(attributes)

async function loadSdk(wanted: string) {
  try {
    return await import('@opentelemetry/sdk-node')
  } catch (cause) {
    const why = `${wanted} is set, but the package @opentelemetry/sdk-node is not installed`
    throw new Error(`${why}. ${installHint('@opentelemetry/sdk-node')}, or unset ${wanted}.`, { cause })
  }
}

/** Nests one policy in another, for calls alone. */
export function nestPolicies(outer: Policy | undefined, inner: Policy): Policy {
  const { name, call } = inner
  if (!outer?.call || !call) return inner
  return { name, call: (made, next) => outer.call?.(made, (passed) => call(passed, next)) ?? next(made) }
}
