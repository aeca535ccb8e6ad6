import { errorText } from '../text/error-text.js'

/** Calls somebody's listener. What it throws is its own fault, and must not hold up the message that it was told of. */
export function notifyListener(what: string, listener: () => unknown): void {
  try {
    const told = listener()
    if (told instanceof Promise) told.catch((thrown) => reportThrown(what, thrown))
  } catch (thrown) {
    reportThrown(what, thrown)
  }
}

const reportThrown = (what: string, thrown: unknown): void => console.error(`toolwire: ${what} threw ${errorText(thrown)}`)
