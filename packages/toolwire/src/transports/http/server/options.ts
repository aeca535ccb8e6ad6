import type { JsonObject } from '../../../json.js'
import type { Caller } from '../../../tools/caller.js'
import { checkOptions, type OptionHints, optionsOf } from '../../../tools/checks/known-options.js'
import type { ReplicaRoutes } from './replicas.js'
import type { EventStore } from './sessions/event-store.js'
import type { SessionStore } from './sessions/session-store.js'

/** What is known of a request before anyone has looked into it. */
export type Arrival = {
  header(name: string): string | undefined
  readonly url: string
  /** The address of the peer, if the runtime knows it. */
  readonly remote?: string | undefined
  /** The port that the request came to, where the runtime tells it. */
  readonly port?: number | undefined
}

/** Why somebody is turned away. The first three are errors of RFC 6750, section 3.1; the last one is ours to mend, not theirs. */
export type Denial = {
  readonly denied: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable'
  /** The reason, for the operator: never a part of the credential. */
  readonly description: string
  /** What it takes, where the scopes do not suffice. */
  readonly scopes?: readonly string[]
  readonly retryAfterMs?: number
}

/** Finds out who is calling. Undefined says that nothing was shown that could be checked; either turns the request away. */
export type Authenticate = (request: Arrival) => AuthenticationResult | Promise<AuthenticationResult>
export type AuthenticationResult = Caller | Denial | undefined

/** Whom the endpoint serves, and how. */
export type HttpOptions = {
  /**
   * Names in `Host` that are ours besides localhost at our own port: with a port for that one alone, without for all. 'any' where
   * something in front has checked it.
   */
  readonly hosts?: readonly string[] | 'any'
  /** Web pages that may call us besides those on localhost, as origins: `https://app.example`. */
  readonly origins?: readonly string[]
  readonly authenticate?: Authenticate
  /** The WWW-Authenticate header of a 401, unless `resource` makes it. */
  readonly challenge?: string
  /** Publishes where to get a token, and makes challenges that lead there. */
  readonly resource?: ResourceOptions
  /** Serves clients of the older revisions without sessions as well: then they get no questions and hear of no changes. */
  readonly sessionless?: boolean
  /** `pocket` speaks only the pocket digest of 2025-06-18 at this address; other addresses are not affected. */
  readonly profile?: 'official' | 'pocket'
  /** Serves the two endpoints of 2024-11-05, `/sse` and `/messages`, too. */
  readonly legacySse?: boolean
  /** Where events are kept for clients that come back for them. */
  readonly events?: EventStore
  /** Where replicas share which sessions have ended, and what their clients have set; asked with each request of a session. */
  readonly sessions?: SessionStore
  /** The ways to the other replicas of a server that has a `replica`: what is about something that one of them has under way goes there. */
  readonly replicas?: ReplicaRoutes
  readonly limits?: Partial<HttpLimits>
}

/** What OAuth clients learn about the endpoint. RFC 9728, section 2 */
export type ResourceOptions = {
  /** The URL by which clients know the endpoint, and which tokens for it name as their audience: `https://shop.example/mcp`. */
  readonly url: string
  /** Issuers whose tokens are taken. */
  readonly authorizationServers: readonly string[]
  /** What to ask for at first; every scope of what is served here if not said. */
  readonly scopes?: readonly string[]
  readonly name?: string
  readonly documentation?: string
  /**
   * What a caller hears of a tool that it lacks scopes for: nothing, as if there were none (`hide`, if not said), or a 403 that names
   * them (`challenge`), and then it sees the tool in lists, too. Strangers hear nothing in either case.
   */
  readonly stepUp?: 'hide' | 'challenge'
  /** The metadata of the authorization server (RFC 8414), for clients of 2025-03-26: they look for it at our own origin. */
  readonly authorizationServerMetadata?: JsonObject
}

/** How much one client may send, leave unread and keep open. */
export type HttpLimits = typeof defaultHttpLimits

export const defaultHttpLimits = {
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

const known = optionsOf<HttpOptions>()(
  'hosts origins authenticate challenge resource sessionless legacySse events sessions replicas limits profile',
)
const resourceOptions = optionsOf<ResourceOptions>()(
  'url authorizationServers scopes name documentation stepUp authorizationServerMetadata',
)
const insteadOf: OptionHints = {
  auth: 'Write `authenticate`, such as bearerJwt({ … }) or apiKeys({ … }) of toolwire/auth.',
  cors: 'Write `origins`: the web pages that may call.',
  allowedOrigins: 'Write `origins`.',
  allowedHosts: 'Write `hosts`.',
  hostname: 'Write `host`.',
  endpoint: 'Write `path`.',
  tools: 'Tools stand in the server: server({ tools: { … } }).',
}

/** `more` are further options of the caller that mounts the endpoint. */
export function checkHttpOptions(owner: string, options: HttpOptions = {}, more: object = {}): void {
  checkOptions(owner, options, { ...known, ...more }, insteadOf)
  checkOptions('`limits`', options.limits, defaultHttpLimits)
  checkOptions('`resource`', options.resource, resourceOptions)
}
