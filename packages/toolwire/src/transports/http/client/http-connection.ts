import type { Credentials, TransportListener } from '../../../peer/client-transport.js'
import type { HttpClient } from './http-clients/http-client.js'
import type { HttpTarget } from './http-target.js'
import type { SessionHeaders } from './session-headers.js'

export type HttpConnection = {
  readonly target: HttpTarget
  readonly client: HttpClient
  readonly credentials: Credentials | undefined
  readonly sessionHeaders: SessionHeaders
  /** Longest body or event, in bytes. */
  readonly limit: number
  /** Replaced by `noopListener` when the transport is closed. */
  listener: TransportListener
  readonly random: () => number
}

/** Ignores all events after a transport was closed. */
export const noopListener: TransportListener = { hear: () => {}, lost: () => {}, ended: () => {}, warn: () => {} }
