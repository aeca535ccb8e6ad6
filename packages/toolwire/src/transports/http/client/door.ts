import type { Credentials, TransportListener } from '../../../peer/link.js'
import type { HttpClient } from './carrier.js'
import type { SessionHeaders } from './headings.js'
import type { HttpTarget } from './target.js'

/** All that is needed to send a request to one server. */
export type HttpConnection = {
  readonly target: HttpTarget
  readonly client: HttpClient
  readonly credentials: Credentials | undefined
  readonly sessionHeaders: SessionHeaders
  /** Longest body or event, in bytes. */
  readonly limit: number
  /** Replaced by one that is deaf when the link is closed. */
  listener: TransportListener
  readonly random: () => number
}

/** For whoever must not be told anything any more. */
export const noopListener: TransportListener = { hear: () => {}, lost: () => {}, ended: () => {}, warn: () => {} }
