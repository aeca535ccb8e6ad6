import type { JsonObject } from '../../../json.js'
import type { Caller } from '../../../tools/caller.js'
import { definitionError } from '../../../tools/checks/definition-error.js'
import { checkOptions, type KnownOptions, type OptionHints, optionsLike, optionsOf } from '../../../tools/checks/known-options.js'
import {
  atLeast,
  either,
  oneOf,
  someFunction,
  someObject,
  someText,
  someTexts,
  trueOrFalse,
} from '../../../tools/checks/option-values.js'
import { hostFault, originFault } from './access/canonical-names.js'
import type { ReplicaRoutes } from './replicas.js'
import type { EventStore } from './sessions/event-store.js'
import type { SessionStore } from './sessions/session-store.js'

/** A request before it is authenticated. */
export type Arrival = {
  header(name: string): string | undefined
  readonly url: string
  /** The address of the peer, if the runtime knows it. */
  readonly remote?: string | undefined
  /** The port that the request came to, if the runtime knows it. */
  readonly port?: number | undefined
}

/** The reason for a refusal. The first three are errors of RFC 6750, section 3.1; the last is a fault of the server. */
export type Denial = {
  readonly denied: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable'
  /** The reason, which the client reads. It contains no part of the credential, and nothing internal. */
  readonly description: string
  /** The scopes that the request needs, if the caller's are not sufficient. */
  readonly scopes?: readonly string[]
  readonly retryAfterMs?: number
}

/** Authenticates the caller of a request. Undefined means that no credentials were found; like a denial, it refuses the request. */
export type Authenticate = {
  (request: Arrival): AuthenticationResult | Promise<AuthenticationResult>
  /** Headers that carry the credential, besides `Authorization`. Allowed web pages may send them. */
  readonly headers?: readonly string[] | undefined
}
export type AuthenticationResult = Caller | Denial | undefined

/** The options of an HTTP endpoint. */
export type HttpOptions = {
  /**
   * Allowed names in `Host`, besides localhost at the server's own port. A name with a port allows only that port, one without allows all.
   * Use 'any' if a proxy checks the header.
   */
  readonly hosts?: readonly string[] | 'any'
  /** Origins of allowed web pages, besides those on localhost: `https://app.example`. */
  readonly origins?: readonly string[]
  readonly authenticate?: Authenticate
  /** The WWW-Authenticate header of a 401, unless `resource` determines it. */
  readonly challenge?: string
  /** Publishes where clients get tokens, and refers to that in challenges. */
  readonly resource?: ResourceOptions
  /** Also serves clients of older revisions without sessions; they get no questions and no notifications of changes. */
  readonly sessionless?: boolean
  /** `pocket` serves only the pocket digest of 2025-06-18 at this address; other addresses are not affected. */
  readonly profile?: 'official' | 'pocket'
  /** Also serves the two endpoints of 2024-11-05, `/sse` and `/messages`. */
  readonly legacySse?: boolean
  /** Keeps events for clients that resume a stream. */
  readonly events?: EventStore
  /** Shares the ends and the settings of sessions between replicas; read with each request of a session. */
  readonly sessions?: SessionStore
  /** Routes to the other replicas of a server with a `replica` name. Messages about the work of one of them are forwarded to it. */
  readonly replicas?: ReplicaRoutes
  readonly limits?: Partial<HttpLimits>
}

/** The OAuth metadata of the endpoint. RFC 9728, section 2 */
export type ResourceOptions = {
  /** The URL of the endpoint for clients, which its tokens name as their audience: `https://shop.example/mcp`. */
  readonly url: string
  /** Issuers whose tokens are accepted. */
  readonly authorizationServers: readonly string[]
  /** The scopes to request first; by default every scope of everything served here. */
  readonly scopes?: readonly string[]
  readonly name?: string
  readonly documentation?: string
  /**
   * The answer to a caller who lacks scopes for a tool. `hide`, the default: the tool seems not to exist. `challenge`: a 403 names the
   * scopes, and lists show the tool. Anonymous callers learn nothing in either case.
   */
  readonly stepUp?: 'hide' | 'challenge'
  /** The metadata of the authorization server (RFC 8414), for clients of 2025-03-26, which look for it at the endpoint's origin. */
  readonly authorizationServerMetadata?: JsonObject
}

/** Limits on the data, streams and sessions of clients. */
export type HttpLimits = typeof defaultHttpLimits

export const defaultHttpLimits = {
  /** Bytes of a request body, and then of the data queued for a client that does not read. */
  bodyBytes: 4 * 1024 * 1024,
  queuedBytes: 4 * 1024 * 1024,
  headerBytes: 16 * 1024,
  /** A client that reads nothing for this long is disconnected. */
  stallMs: 30_000,
  keepAliveMs: 15_000,
  /** Open streams for changes, in total and then for each known caller. */
  streams: 1_024,
  streamsEach: 16,
  /** Sessions kept in memory. Idle ones are restored from their tokens; if all are in use, no other session begins. */
  sessions: 10_000,
  sessionIdleMs: 30 * 60_000,
  sessionMs: 24 * 60 * 60_000,
}

const known = optionsOf<HttpOptions>()('resource limits', {
  hosts: either(oneOf('any'), someTexts),
  origins: someTexts,
  authenticate: someFunction,
  challenge: someText,
  'sessionless legacySse': trueOrFalse,
  profile: oneOf('official', 'pocket'),
  'events sessions replicas': someObject,
})
const knownLimits = optionsLike(defaultHttpLimits, atLeast(0))
const knownResource = optionsOf<ResourceOptions>()({
  'url name documentation': someText,
  'authorizationServers scopes': someTexts,
  stepUp: oneOf('hide', 'challenge'),
  authorizationServerMetadata: someObject,
})
const insteadOf: OptionHints = {
  auth: 'Write `authenticate`, such as bearerJwt({ … }) or apiKeys({ … }) of toolwire/auth.',
  cors: 'Write `origins`: the web pages that may call.',
  allowedOrigins: 'Write `origins`.',
  allowedHosts: 'Write `hosts`.',
  hostname: 'Write `host`.',
  endpoint: 'Write `path`.',
  tools: 'Tools belong in the server: server({ tools: { … } }).',
}

/** `more` are further options of the caller that mounts the endpoint. */
export function checkHttpOptions(owner: string, options: HttpOptions = {}, more: KnownOptions = {}): void {
  checkOptions(owner, options, { ...known, ...more }, insteadOf)
  checkOptions('`limits`', options.limits, knownLimits)
  checkOptions('`resource`', options.resource, knownResource)
  if (options.hosts !== 'any') checkNames('hosts', options.hosts, hostFault)
  // Pages without an origin, such as files and sandboxed frames, send null.
  checkNames(
    'origins',
    options.origins?.filter((origin) => origin !== 'null'),
    originFault,
  )
}

function checkNames(option: string, names: readonly string[] = [], faultOf: typeof hostFault): void {
  for (const name of names) {
    const fault = faultOf(name)
    if (fault !== undefined) throw definitionError(`No request matches ${JSON.stringify(name)} in \`${option}\`: ${fault}`)
  }
}
