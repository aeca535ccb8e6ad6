import { yieldWhenBusy } from './yield-when-busy.js'

/** Work that may pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>

/** All steps in one go, for what is known to be short. */
export function finish<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** What is short is done at once; in what is long, others get their turns. */
export function finishInTurns<T>(steps: Steps<T>): T | Promise<T> {
  const rest = yieldWhenBusy()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    const turn = rest()
    if (turn) return turn.then(() => finishInTurns(steps))
  }
}
