// The MCP endpoint: what happens to an HTTP request, in the order in which it is checked.

import type { Application } from '../../../peer/application.js'
import { pocketRevisions } from '../../../revisions/index.js'
import { anonymous, type Caller } from '../../../tools/caller.js'
import { LegacySse } from '../../sse-2024/server/legacy-sse.js'
import { type AuthenticatedCaller, type Authenticator, authenticatorOf } from './access/authenticator.js'
import { OriginGuard, preflight } from './access/origin-guard.js'
import { ProtectedResource } from './access/protected-resource.js'
import { checkBody, checkMedia } from './check-media.js'
import type { HttpExchange } from './http-exchange.js'
import { refuse, refuseAfterFault, refuseTooLarge } from './http-refusal.js'
import { MessageRouter } from './message-router.js'
import { defaultHttpLimits, type HttpLimits, type HttpOptions } from './options.js'
import { MemoryEvents } from './sessions/event-store.js'
import type { SessionRules } from './sessions/http-session.js'
import { SessionRoutes } from './sessions/session-routes.js'
import { StreamLimit } from './streams/stream-limit.js'
import { StreamTimer } from './streams/stream-timer.js'

export class McpEndpoint {
  readonly limits: HttpLimits
  readonly #guard: OriginGuard
  readonly #resource: ProtectedResource | undefined
  /** Absent where everybody may come in. */
  readonly #entrance: Authenticator | undefined
  readonly #messages: MessageRouter
  /** Absent where no edition served here has sessions. */
  readonly #sessions: SessionRoutes | undefined
  readonly #legacy: LegacySse | undefined

  constructor(served: Application, options: HttpOptions = {}) {
    const app = inProfile(served, options.profile)
    this.limits = { ...defaultHttpLimits, ...options.limits }
    const { keepAliveMs, stallMs } = this.limits
    const watch = new StreamTimer(Math.min(keepAliveMs, stallMs) / 3)
    const rules: SessionRules = { watch, limits: this.limits, events: options.events ?? new MemoryEvents() }
    const streams = new StreamLimit(this.limits)
    this.#guard = new OriginGuard(options)
    this.#resource = options.resource && new ProtectedResource(options.resource, () => app.scopes)
    this.#entrance = authenticatorOf(options, this.#resource)
    if (app.revisions.handshake.some((revision) => revision.http.sessions))
      this.#sessions = new SessionRoutes(app, rules, streams)
    if (options.legacySse) this.#legacy = new LegacySse(app, rules, streams)
    this.#messages = new MessageRouter(app, rules, {
      sessions: this.#sessions,
      legacy: this.#legacy,
      sessionless: options.sessionless === true,
      bodyBytes: this.limits.bodyBytes,
    })
  }

  /** Answers one HTTP request. */
  handle(exchange: HttpExchange): void {
    try {
      this.#check(exchange)?.catch((thrown: unknown) => refuseAfterFault(exchange, thrown))
    } catch (thrown) {
      refuseAfterFault(exchange, thrown)
    }
  }

  #check(exchange: HttpExchange): void | Promise<void> {
    const refused = this.#guard.check(exchange)
    if (refused) return refuse(exchange, refused)
    if (Number(exchange.header('content-length')) > this.limits.bodyBytes) return refuseTooLarge(exchange, this.limits.bodyBytes)
    if (exchange.method === 'OPTIONS') return preflight(exchange, this.#methods)
    if (this.#resource?.answers(exchange)) return undefined
    if (!this.#entrance) return this.#serve(exchange, anonymous)
    const admitted = this.#entrance.admit(exchange)
    return admitted instanceof Promise
      ? admitted.then((settled) => this.#enter(exchange, settled))
      : this.#enter(exchange, admitted)
  }

  #enter(exchange: HttpExchange, admitted: AuthenticatedCaller): void | Promise<void> {
    return 'caller' in admitted ? this.#serve(exchange, admitted.caller) : refuse(exchange, admitted.refused)
  }

  /** Whether it answers there too, because clients look for it beside the endpoint. */
  publishes(path: string): boolean {
    return this.#resource?.publishes(path) === true
  }

  /** Ends all streams that wait for news. */
  close(): void {
    this.#sessions?.close()
    this.#legacy?.close()
  }

  #serve(exchange: HttpExchange, caller: Caller): void | Promise<void> {
    if (this.#legacy?.isStream(exchange)) return this.#legacy.open(exchange, caller)
    if (exchange.method === 'POST') return this.#post(exchange, caller)
    if (exchange.method === 'GET' && this.#sessions) return this.#sessions.get(exchange, caller)
    if (exchange.method === 'DELETE' && this.#sessions) return this.#sessions.delete(exchange, caller)
    refuse(exchange, { status: 405, message: `${exchange.method} is not served here`, headers: { allow: this.#methods } })
  }

  get #methods(): string {
    return this.#sessions ? 'POST, GET, DELETE, OPTIONS' : 'POST, OPTIONS'
  }

  #post(exchange: HttpExchange, caller: Caller): void {
    const refused = this.#legacy?.isMessage(exchange) ? checkBody(exchange) : checkMedia(exchange)
    if (refused) refuse(exchange, refused)
    else exchange.read(this.limits.bodyBytes, this.#messages.receiverOf(exchange, caller))
  }
}

/** The application as it is spoken with at one address: its tools, its guard and its sessions are the same as everywhere. */
function inProfile(app: Application, profile: HttpOptions['profile']): Application {
  if (profile !== 'pocket') return app
  return {
    revisions: pocketRevisions,
    receive(message, conversation, reply) {
      conversation.revisions = pocketRevisions
      return app.receive(message, conversation, reply)
    },
    join: (conversation) => app.join(conversation),
    leave: (conversation) => app.leave(conversation),
    drain: (ms) => app.drain(ms),
    sealer: app.sealer,
    get scopes() {
      return app.scopes
    },
  }
}
