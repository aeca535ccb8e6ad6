import type { Credentials, TransportListener } from '../../../peer/client-transport.js'
import type { HttpClient } from './http-clients/http-client.js'
import type { HttpTarget } from './http-target.js'
import type { SessionHeaders } from './session-headers.js'

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

/** Replaces a listener that must hear nothing more. */
export const noopListener: TransportListener = { hear: () => {}, lost: () => {}, ended: () => {}, warn: () => {} }
