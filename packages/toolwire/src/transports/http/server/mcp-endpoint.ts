// The MCP endpoint: the steps of an HTTP request, in the order of its checks.

import { Bag } from '../../../bounds/bag.js'
import type { Application } from '../../../peer/application.js'
import { pocketRevisions } from '../../../revisions/index.js'
import { anonymous, type Caller } from '../../../tools/caller.js'
import { withGiven } from '../../../tools/checks/known-options.js'
import { legacySse } from '../../sse-2024/server/legacy-sse.js'
import { type AuthenticatedCaller, authenticatorOf } from './access/authenticator.js'
import { originGuard, preflight } from './access/origin-guard.js'
import { protectedResource } from './access/protected-resource.js'
import { checkBody, checkMedia } from './check-media.js'
import type { HttpExchange } from './http-exchange.js'
import { refuse, refuseAfterFault, refuseTooLarge, tooManyLong } from './http-refusal.js'
import { bodyReceiver, type MessageRoutes } from './message-router.js'
import { defaultHttpLimits, type HttpOptions } from './options.js'
import { MemoryEvents } from './sessions/event-store.js'
import { sessionRoutes } from './sessions/session-routes.js'
import { streamTimer } from './streams/event-stream.js'
import { streamLimit } from './streams/stream-limit.js'

export type McpEndpoint = ReturnType<typeof mcpEndpoint>

/** While `isClosing` is true, requests are refused. Answers and notifications are still read. */
export function mcpEndpoint(served: Application, options: HttpOptions = {}, isClosing: () => boolean = () => false) {
  const routes = { ...messageRoutes(inProfile(served, options.profile), options), isClosing }
  const { app, sessions, legacy } = routes
  const { limits } = routes.rules
  const originRefusal = originGuard(options)
  const resource = options.resource && protectedResource(options.resource, () => app.scopes)
  const authenticated = authenticatorOf(options, resource)
  const methods = sessions ? 'POST, GET, DELETE, OPTIONS' : 'POST, OPTIONS'

  function check(exchange: HttpExchange): void | Promise<void> {
    const refused = originRefusal(exchange)
    if (refused) return refuse(exchange, refused)
    if (Number(exchange.header('content-length')) > limits.bodyBytes) return refuseTooLarge(exchange, limits.bodyBytes)
    if (exchange.method === 'OPTIONS') return preflight(exchange, methods, options.authenticate?.headers)
    if (resource?.answers(exchange)) return undefined
    if (!authenticated) return serve(exchange, anonymous)
    const admitted = authenticated(exchange)
    return admitted instanceof Promise ? admitted.then((settled) => enter(exchange, settled)) : enter(exchange, admitted)
  }

  const enter = (exchange: HttpExchange, admitted: AuthenticatedCaller): void | Promise<void> =>
    'caller' in admitted ? serve(exchange, admitted.caller) : refuse(exchange, admitted.refused)

  function serve(exchange: HttpExchange, caller: Caller): void | Promise<void> {
    if (legacy?.isStream(exchange)) return legacy.open(exchange, caller)
    if (exchange.method === 'POST') {
      const refused = legacy?.isMessage(exchange) ? checkBody(exchange) : checkMedia(exchange)
      return refused ? refuse(exchange, refused) : readPost(exchange, caller)
    }
    if (exchange.method === 'GET' && sessions) return sessions.get(exchange, caller)
    if (exchange.method === 'DELETE' && sessions) return sessions.delete(exchange, caller)
    refuse(exchange, { status: 405, message: `${exchange.method} is not served here`, headers: { allow: methods } })
  }

  function readPost(exchange: HttpExchange, caller: Caller): void {
    const release = exchange.hold?.({ requestOf: caller })
    if (exchange.hold && !release) refuse(exchange, tooManyLong)
    else exchange.read(limits.bodyBytes, bodyReceiver(routes, { exchange, caller }, release))
  }

  return {
    limits,
    handle(exchange: HttpExchange): void {
      try {
        check(exchange)?.catch((thrown: unknown) => refuseAfterFault(exchange, thrown))
      } catch (thrown) {
        refuseAfterFault(exchange, thrown)
      }
    },
    /** True if a document is published at the path, because clients look for metadata beside the endpoint. */
    publishes: (path: string): boolean => resource?.publishes(path) === true,
    /** Ends all open sessions and streams. */
    close(): void {
      sessions?.close()
      legacy?.close()
    },
  }
}

function messageRoutes(app: Application, options: HttpOptions): Omit<MessageRoutes, 'isClosing'> {
  const limits = withGiven(defaultHttpLimits, options.limits)
  const watch = streamTimer(Math.min(limits.keepAliveMs, limits.stallMs) / 3)
  const { replica } = app
  const replicas = replica === undefined ? undefined : options.replicas
  const rules = { watch, limits, events: options.events ?? new MemoryEvents(), sessions: options.sessions, replica, replicas }
  const takeStream = streamLimit(limits)
  const hasSessions = app.revisions.handshake.some((revision) => revision.http.sessions)
  return {
    app,
    rules,
    sessions: hasSessions ? sessionRoutes(app, rules, takeStream) : undefined,
    legacy: options.legacySse ? legacySse(app, rules, takeStream) : undefined,
    sessionless: options.sessionless === true,
    inFlight: new Bag(),
  }
}

/** The application with the revisions of one endpoint's profile; its tools, guard and sessions stay the same. */
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
    replica: app.replica,
    get scopes() {
      return app.scopes
    },
  }
}
