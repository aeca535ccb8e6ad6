import { errorText } from '../text/error-text.js'
import { visibleLine } from '../text/visible.js'

/** Advice to the developer; nothing has failed. */
class Recommendation extends Error {
  override name = 'Advice'
}

/** Receives the faults of this process in full; the peer sees only the id. */
export type Reporter = (id: string, where: string, fault: unknown) => void

let reporter: Reporter = (id, where, fault) => {
  // stderr, because stdout may carry the protocol.
  if (fault instanceof Recommendation) return console.warn(visibleLine(`toolwire: ${where}: ${fault.message}`))
  console.error(`${visibleLine(`toolwire: error ${id} in ${where}: `)}${errorText(fault)}`)
}

/**
 * Sends the faults of this process to a function instead of stderr.
 *
 * @example
 * ```ts
 * reportTo((id, where, fault) => console.error(id, where, fault))
 * ```
 */
export function reportTo(other: Reporter): void {
  reporter = other
}

export const recommend = (where: string, advice: string): unknown => reportFault(where, new Recommendation(advice))

/** Reports a fault and returns the id of the report. */
export function reportFault(where: string, fault: unknown): string {
  const id = crypto.randomUUID().slice(0, 8)
  reporter(id, where, fault)
  return id
}
