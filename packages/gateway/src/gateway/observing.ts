// Every call is counted, and whoever watches the gateway sees it begin and end.
import { Refusal, Suspension, type ToolCall, type ToolResult } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import type { Events } from '../door/events.js'
import type { Metrics } from '../door/metrics.js'

type Parts = {
  readonly events: Events
  readonly metrics: Metrics
  /** Told of a call before anything is done about it. */
  readonly onArrival: (call: ToolCall) => void
}
type Ending = { readonly outcome: string; readonly reason?: string }

export type Observing = Policy & { readonly underWay: number }

export function observing({ events, metrics, onArrival }: Parts): Observing {
  let underWay = 0
  let last = 0

  async function call(made: ToolCall, next: (call: ToolCall) => Promise<ToolResult>): Promise<ToolResult> {
    const startedAt = performance.now()
    const about = { call: ++last, tool: made.tool.name, server: made.server ?? serverOf(made), caller: made.caller.id }
    underWay++
    onArrival(made)
    events.add('call', { what: 'begun', ...about })
    const end = (ending: Ending) => {
      const seconds = (performance.now() - startedAt) / 1_000
      underWay--
      metrics.ended({ tool: about.tool, server: about.server, seconds, ...ending })
      events.add('call', { what: 'ended', ...about, ...ending, ms: Math.round(seconds * 1_000) })
    }
    try {
      const result = await next(made)
      end({ outcome: result.isError ? 'error' : 'ok' })
      return result
    } catch (thrown) {
      end(endingOf(thrown, made))
      throw thrown
    }
  }

  return {
    name: 'observing',
    call,
    get underWay() {
      return underWay
    },
  }
}

const serverOf = ({ tool }: ToolCall): string => tool.definition.server ?? ''

function endingOf(thrown: unknown, { context }: ToolCall): Ending {
  if (thrown instanceof Suspension) return { outcome: 'asked' }
  if (thrown instanceof Refusal) return { outcome: 'refused', reason: thrown.reason }
  return { outcome: context.signal.aborted ? 'cancelled' : 'failed' }
}
