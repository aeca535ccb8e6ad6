import { WarningLimiter } from '../bounds/warning-limiter.js'
import { visibleLine } from '../text/visible.js'
import { notifyListener as tellSafely } from './notify-listener.js'

const longest = 1_000

/**
 * Where warnings go: to the given function, or to stderr. A server that gives cause for thousands of them is summed up, and what it
 * hides in its words is shown.
 */
export function warningReporter(given: ((text: string) => void) | undefined): (text: string) => void {
  const listener = given ?? ((text) => console.error(`toolwire: ${text}`))
  const warnings = new WarningLimiter((text) => tellSafely('onWarning', () => listener(visibleLine(text.slice(0, longest)))))
  return (text) => warnings.add(() => text)
}
