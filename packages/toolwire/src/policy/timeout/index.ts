import { Countdown, type TimeLimits } from '../../bounds/countdown.js'
import { TimerQueue } from '../../bounds/timer-queue.js'
import { Refusal } from '../../tools/refusal.js'
import type { CallContext } from '../../tools/tool.js'
import type { Policy } from '../policy.js'

/**
 * Ends a call whose time is up. A tool's own `timeout` counts from start to end; without one, both silence and the whole time count, and
 * progress ends a silence. The clock stops while a person is being asked.
 */
export function timeout(limits: TimeLimits): Policy {
  const timerQueue = new TimerQueue()
  return {
    name: 'timeout',
    call(call, next) {
      const { name, definition } = call.tool
      const own = definition.timeout
      if (own === undefined && call.context.patient) return next(call)
      return withTimeLimits(call, next, { name, timerQueue, limits: own === undefined ? limits : { idleMs: own, totalMs: own } })
    },
  }
}

/** A call or a read. */
type Timed = { readonly context: Pick<CallContext, 'abort' | 'clock' | 'waitedMs'> }
type Clock = { readonly name: string; readonly timerQueue: TimerQueue; readonly limits: TimeLimits }
const limitNames = ['totalMs', 'idleMs'] as const

/** Ends a call or a read whose time is up. The refusal has the name. */
export function withTimeLimits<C extends Timed, T>(
  call: C,
  next: (call: C) => Promise<T>,
  { name, timerQueue, limits }: Clock,
): Promise<T> {
  const spentMs = call.context.waitedMs
  // A call that has waited for its turn until its time was up is not begun.
  const over = spentMs ? limitNames.find((limit) => spentMs >= limits[limit]) : undefined
  if (over) return Promise.reject(timedOut(name, over, limits[over]))
  return new Promise((resolve, reject) => {
    const countdown = new Countdown(spentMs ? { ...limits, spentMs } : limits, timerQueue, (limit) => {
      const refusal = timedOut(name, limit, limits[limit])
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
