import { Countdown, type LimitsLeft, type TimeLimits } from '../../bounds/countdown.js'
import { TimerQueue } from '../../bounds/timer-queue.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Next, Policy } from '../policy.js'

/**
 * Ends a call whose time is up. A tool's own `timeout` counts from start to end; without one, both silence and the whole time count, and
 * progress ends a silence. The clock stops while a person is being asked.
 */
export function timeout(limits: TimeLimits): Policy {
  const timerQueue = new TimerQueue()
  return {
    name: 'timeout',
    call(call, next) {
      const own = call.tool.definition.timeout
      if (own === undefined && call.context.patient) return next(call)
      const most = own === undefined ? limits : { idleMs: own, totalMs: own }
      const spentMs = call.context.waitedMs
      if (!spentMs) return withTimeLimits(call, next, { timerQueue, limits: most })
      // A call that has waited for its turn until its time was up is not begun.
      const over = (['totalMs', 'idleMs'] as const).find((limit) => spentMs >= most[limit])
      if (over) return Promise.reject(timedOut(call.tool.name, over, most[over]))
      return withTimeLimits(call, next, { timerQueue, limits: { ...most, spentMs } })
    },
  }
}

type Clock = { readonly timerQueue: TimerQueue; readonly limits: LimitsLeft }

function withTimeLimits(call: ToolCall, next: Next, { timerQueue, limits }: Clock): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const countdown = new Countdown(limits, timerQueue, (limit) => {
      const refusal = timedOut(call.tool.name, limit, limits[limit])
      reject(refusal)
      call.context.abort(refusal)
    })
    call.context.clock = countdown
    next(call).then(
      (result) => {
        countdown.stop()
        resolve(result)
      },
      (thrown) => {
        countdown.stop()
        reject(thrown)
      },
    )
  })
}

function timedOut(name: string, limit: keyof TimeLimits, ms: number): Refusal {
  const what = limit === 'idleMs' ? 'showed no progress for' : 'did not finish within'
  return new Refusal('timed-out', `${name} ${what} ${ms} ms and was stopped`)
}
