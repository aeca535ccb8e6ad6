import type { Caller } from '../../tools/caller.js'
import type { EventStore } from './event-store.js'

/** Finds out who is calling; undefined turns the request away. */
export type Authenticate = (request: {
  header(name: string): string | undefined
  readonly url: string
}) => Caller | undefined | Promise<Caller | undefined>

/** Whom the endpoint serves, and how. */
export type HttpOptions = {
  /** Names in `Host` that are ours besides localhost, with or without a port; 'any' where something in front has checked it. */
  readonly hosts?: readonly string[] | 'any'
  /** Web pages that may call us besides those on localhost, as origins: `https://app.example`. */
  readonly origins?: readonly string[]
  readonly authenticate?: Authenticate
  /** The WWW-Authenticate header of a 401. */
  readonly challenge?: string
  /** Serves clients of the older editions without sessions as well: then they get no questions and hear of no changes. */
  readonly sessionless?: boolean
  /** Serves the two endpoints of 2024-11-05, `/sse` and `/messages`, too. */
  readonly legacySse?: boolean
  /** Where events are kept for clients that come back for them. */
  readonly events?: EventStore
  readonly limits?: Partial<HttpLimits>
}

/** How much one client may send, leave unread and keep open. */
export type HttpLimits = typeof defaultLimits

export const defaultLimits = {
  /** Bytes of a request body, and of what is kept for a client that does not read. */
  bodyBytes: 4 * 1024 * 1024,
  queuedBytes: 4 * 1024 * 1024,
  headerBytes: 16 * 1024,
  /** A client that takes nothing for so long is cut off. */
  stallMs: 30_000,
  keepAliveMs: 15_000,
  /** Open streams that wait for changes, in all and for each known caller. */
  streams: 1_024,
  streamsEach: 16,
  /** Sessions kept in memory; the others are opened again from their tokens. */
  sessions: 10_000,
  sessionIdleMs: 30 * 60_000,
  sessionMs: 24 * 60 * 60_000,
}
