/** Longer work yields to the event loop. */
export const longestWorkMs = 20
const much = 262_144

/** Those who wait for their turn, in the order in which they came. */
const waiting: (() => void)[] = []
/** When work began that nobody else has had a turn since. */
let since: number | undefined
let isArmed = false

/** One at a time: were all to go on at once, others would have to wait for all of them. */
function next(): void {
  isArmed = false
  const first = waiting.shift()
  since = first && performance.now()
  if (!first) return
  isArmed = true
  later(next)
  first()
}

// What is due by a timer can be due again before anybody was heard; behind an immediate everybody else comes first.
const later: (work: () => void) => void = 'setImmediate' in globalThis ? setImmediate : (work) => void setTimeout(work)

/** From an event of input, the first immediate comes before all other events: only behind the second one have others had their turn. */
function arm(): void {
  if (isArmed) return
  isArmed = true
  later(() => later(next))
}

/** Lets others have their turn. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    arm()
  })

/** Whether so many bytes or characters take so long to go through that others get their turn before the next step. */
export const isLongWork = (size: number): boolean => size >= much

/**
 * For long work to call between its steps, so that others get their turn: ten thousand tools take a second.
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
