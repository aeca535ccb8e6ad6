import { yieldWhenBusy } from './yield-when-busy.js'

/** Work that may pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>

/** Runs all steps without a pause, for work that is known to be short. */
export function finish<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Runs the steps. Short work finishes synchronously; long work yields to the event loop between its steps. */
export function finishInTurns<T>(steps: Steps<T>): T | Promise<T> {
  const rest = yieldWhenBusy()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    const turn = rest()
    if (turn) return turn.then(() => finishInTurns(steps))
  }
}
