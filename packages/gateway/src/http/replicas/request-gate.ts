// Lets in what another replica has sent to this one just now, once.
import { randomBytes } from 'node:crypto'
import { type Envelope, openRequest, sealClock } from './replica-seal.js'

/** How far the time of a request may be from now, and how long it is remembered that it came. */
const windowMs = 10_000
/** More than any peer can have under way; beyond it nothing is let in, because it could come twice. */
const mostRemembered = 200_000

export type Admission =
  | { readonly admitted: string }
  /** The sender does not know the clock here; this tells it. */
  | { readonly clock: string }
  /** Forged, or sent again. */
  | 'refused'

export function requestGate(key: Uint8Array, now: () => number = () => performance.now()) {
  const start = randomBytes(12).toString('base64url')
  /** Those that came within the window, the oldest first, and when. */
  const seen = new Map<string, number>()
  return {
    /** What becomes of a request with this header; if it is admitted, what its body must hash to. */
    judge(envelope: Envelope, header: string | undefined): Admission {
      const stamp = openRequest(key, envelope, header)
      if (!stamp) return 'refused'
      const at = Math.round(now())
      if (stamp.start !== start || Math.abs(at - stamp.now) > windowMs)
        return { clock: sealClock(key, { start, now: at }, stamp.nonce) }
      for (const [nonce, came] of seen) {
        if (at - came <= 2 * windowMs) break
        seen.delete(nonce)
      }
      if (seen.has(stamp.nonce) || seen.size >= mostRemembered) return 'refused'
      seen.set(stamp.nonce, at)
      return { admitted: stamp.digest }
    },
  }
}
