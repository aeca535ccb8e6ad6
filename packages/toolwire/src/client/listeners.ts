import { traced } from '../tools/traced.js'

/** Calls somebody's listener. What it throws is its own fault, and must not hold up the message that it was told of. */
export function tell(what: string, listener: () => unknown): void {
  try {
    const told = listener()
    if (told instanceof Promise) told.catch((thrown) => complain(what, thrown))
  } catch (thrown) {
    complain(what, thrown)
  }
}

const complain = (what: string, thrown: unknown): void => console.error(`toolwire: ${what} threw ${traced(thrown)}`)
