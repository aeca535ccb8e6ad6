import { errorText } from '../text/error-text.js'
import { visibleLine } from '../text/visible.js'

/** Nothing has failed, but something would serve clients better. */
class Recommendation extends Error {
  override name = 'Advice'
}

/** Where faults of our own side are told in full; the peer hears only the id. */
export type Reporter = (id: string, where: string, fault: unknown) => void

let reporter: Reporter = (id, where, fault) => {
  // stderr, because stdout may be the wire.
  if (fault instanceof Recommendation) return console.warn(visibleLine(`toolwire: ${where}: ${fault.message}`))
  console.error(`${visibleLine(`toolwire: error ${id} in ${where}: `)}${errorText(fault)}`)
}

/**
 * Sends the faults of this process somewhere else than to stderr.
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

/** Tells a fault and gives the id under which it can be found again. */
export function reportFault(where: string, fault: unknown): string {
  const id = crypto.randomUUID().slice(0, 8)
  reporter(id, where, fault)
  return id
}
