import { visibleLine } from '../text/visible.js'
import { notifyListener as tellSafely } from './notify-listener.js'

const mostAMinute = 20
const longest = 1_000
const minute = 60_000

/**
 * Where warnings go: to the given function, or to stderr. A server that gives cause for thousands of them is summed up, and what it
 * hides in its words is shown.
 */
export function warningReporter(
  given: ((text: string) => void) | undefined,
  now: () => number = () => performance.now(),
): (text: string) => void {
  const listener = given ?? ((text) => console.error(`toolwire: ${text}`))
  const tell = (text: string) => tellSafely('onWarning', () => listener(visibleLine(text.slice(0, longest))))
  let since = Number.NEGATIVE_INFINITY
  let told = 0
  let untold = 0
  return (text) => {
    if (now() - since > minute) {
      if (untold > 0) tell(`${untold} more warnings in the last minute`)
      since = now()
      told = 0
      untold = 0
    }
    if (told++ < mostAMinute) tell(text)
    else untold++
  }
}
