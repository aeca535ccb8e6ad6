import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ToolCall } from '../tools/tool.js'
import type { Next, Policy } from './policy.js'

export type TimeLimits = { readonly idleMs: number; readonly totalMs: number }

/**
 * Ends a call whose time is up. A tool's own `timeout` counts from start to end; without one, silence is what counts, and progress
 * breaks it. The clock stands still while a person is being asked.
 */
export function timeout({ idleMs, totalMs }: TimeLimits): Policy {
  return {
    name: 'timeout',
    call(call, next) {
      const own = call.tool.definition.timeout
      if (own === undefined && call.context.patient) return next(call)
      return own === undefined
        ? timed(call, next, { ms: idleMs, restartable: true, totalMs })
        : timed(call, next, { ms: own, restartable: false, totalMs: own })
    },
  }
}

type Clock = { readonly ms: number; readonly restartable: boolean; readonly totalMs: number }

function timed(call: ToolCall, next: Next, clock: Clock): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const started = Date.now()
    const timeUp = () => {
      const refusal = new Refusal('timed-out', `${call.tool.name} did not finish in time (${clock.ms} ms)`)
      reject(refusal)
      call.context.abort(refusal)
    }
    let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(timeUp, clock.ms)
    call.context.heard = (what) => {
      if (what === 'progress' && !clock.restartable) return
      clearTimeout(timer)
      const left = clock.restartable ? Math.min(clock.ms, clock.totalMs - (Date.now() - started)) : clock.ms
      timer = what === 'asking' ? undefined : setTimeout(timeUp, Math.max(0, left))
    }
    next(call).then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (thrown) => {
        clearTimeout(timer)
        reject(thrown)
      },
    )
  })
}
