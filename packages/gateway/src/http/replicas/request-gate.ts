// Admits requests of other replicas that are recent, and each only once.
import { randomBytes } from 'node:crypto'
import { type Envelope, openRequest, sealClock } from './replica-seal.js'

/** Largest difference of a request's time from now; nonces are kept for twice as long. */
const windowMs = 10_000
/** More than other replicas can have in flight. Beyond this limit all requests are refused, because replays could not be detected. */
const mostRemembered = 200_000

export type Admission =
  | { readonly admitted: string }
  /** The sender does not know the clock here; this value tells it. */
  | { readonly clock: string }
  /** Forged or replayed. */
  | 'refused'

export function requestGate(key: Uint8Array, now: () => number = () => performance.now()) {
  const start = randomBytes(12).toString('base64url')
  /** Nonces of recent requests and their times, oldest first. */
  const seen = new Map<string, number>()
  return {
    /** Judges a request by its header; `admitted` is the expected digest of its body. */
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
