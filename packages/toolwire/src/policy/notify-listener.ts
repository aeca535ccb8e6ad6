import { errorText } from '../text/error-text.js'

/** Calls a user's listener. Its errors are only logged, so that they cannot disturb the handling of a message. */
export function notifyListener(what: string, listener: () => unknown): void {
  try {
    const returned = listener()
    if (returned instanceof Promise) returned.catch((thrown) => reportThrown(what, thrown))
  } catch (thrown) {
    reportThrown(what, thrown)
  }
}

export const reportThrown = (what: string, thrown: unknown): void => console.error(`toolwire: ${what} threw ${errorText(thrown)}`)
