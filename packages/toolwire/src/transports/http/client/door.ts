import type { Credentials, Listener } from '../../../peer/link.js'
import type { Carrier } from './carrier.js'
import type { Headings } from './headings.js'
import type { Target } from './target.js'

/** All that is needed to send a request to one server. */
export type Door = {
  readonly target: Target
  readonly carrier: Carrier
  readonly credentials: Credentials | undefined
  readonly headings: Headings
  /** Longest body or event, in bytes. */
  readonly limit: number
  /** Replaced by one that is deaf when the link is closed. */
  listener: Listener
  readonly random: () => number
}

/** For whoever must not be told anything any more. */
export const deaf: Listener = { hear: () => {}, lost: () => {}, ended: () => {}, warn: () => {} }
