/** Work that takes longer than this yields to the event loop. */
export const longestWorkMs = 20
const longWorkSize = 262_144

const waiting: (() => void)[] = []
/** Start of the current stretch of work without a yield. */
let since: number | undefined
let isArmed = false

/** Resumes one caller at a time. If all resumed at once, other events would have to wait for all of them. */
function next(): void {
  isArmed = false
  const first = waiting.shift()
  since = first && performance.now()
  if (!first) return
  isArmed = true
  afterEvents(next)
  first()
}

/** Does the work when the events that have arrived already were handled. A timer can be due again before they are. */
export const afterEvents: (work: () => void) => void =
  'setImmediate' in globalThis ? setImmediate : (work) => void setTimeout(work)

/** From an input event, the first immediate runs before all other events. Only the second one lets other events run first. */
function arm(): void {
  if (isArmed) return
  isArmed = true
  afterEvents(() => afterEvents(next))
}

export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    arm()
  })

/** True if this many bytes or characters take so long to process that other work gets its turn before the next step. */
export const isLongWork = (size: number): boolean => size >= longWorkSize

/**
 * Returns a function for long work to call between its steps, so that others get their turn: ten thousand tools take a second.
 *
 * @example
 * ```ts
 * const rest = yieldWhenBusy()
 * await rest()
 * ```
 */
export function yieldWhenBusy(): () => Promise<void> | undefined {
  return () => {
    if (since === undefined) {
      since = performance.now()
      arm()
    }
    return performance.now() - since < longestWorkMs ? undefined : yieldToEventLoop()
  }
}
