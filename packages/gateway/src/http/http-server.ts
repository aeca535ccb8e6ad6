// The HTTP server: routes each path to its handler.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Caller, Server as McpServer } from 'toolwire'
import { type HttpOptions, nodeHandler } from 'toolwire/node'
import { strictServer, type types } from 'toolwire/relay'
import { authenticateForSet, authenticators, hasScope, isManager, metricsScope, publicUrlOf } from '../access/authenticate.js'
import { credentialWatch, requestCredentials } from '../access/credential-watch.js'
import type { Control } from '../api/control/control.js'
import { currentGauges } from '../api/control/gauges.js'
import { managementApi } from '../api/management-api.js'
import { apiBase } from '../api/openapi.js'
import { sendJson } from '../api/responses.js'
import type { Route } from '../api/route.js'
import type { ServedEndpoints } from '../catalog/aggregate-servers.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import { isLoopback } from '../config/own-address.js'
import { memoryReservation } from './admission.js'
import { type AllowedHosts, allowedHosts, extraHostNames } from './allowed-hosts.js'
import { gatewayPortAdvice, listenAt } from './listen.js'
import { refusedAction } from './refused-requests.js'
import type { ForwardedNodeRequest } from './replicas/forwarded-message.js'
import { answerLoginReturn, type FinishLogin, loginReturnPath } from './replicas/login-returns.js'
import type { ReplicaSender } from './replicas/replica-connection.js'
import { type ReplicaList, replicaPath } from './replicas/replica-list.js'
import { replicaRequests } from './replicas/replica-requests.js'
import { replicaRoutes } from './replicas/replica-routes.js'

type HttpServerOptions = {
  readonly config: GatewayConfig
  readonly control: Control
  /** The management token, which is in the data directory. */
  readonly token: string
  readonly endpoints: ServedEndpoints
  /** Is a server still being opened for the first time? Then requests should not be sent here yet. */
  readonly isOpening: () => boolean
  readonly routes?: readonly Route[]
  readonly replicas?: OtherReplicas | undefined
  /** Sessions that the replicas share. */
  readonly sessions?: HttpOptions['sessions']
}

/** The other replicas, the key that all replicas share, and the logins that they may finish here. */
type OtherReplicas = {
  readonly list: ReplicaList
  readonly key: Uint8Array
  readonly send: ReplicaSender
  readonly finishLogin: FinishLogin
}

type Handler = ReturnType<typeof nodeHandler>
/** The handlers of an endpoint: for official revisions, and for profiles that the URL can select. */
type EndpointHandlers = { readonly official: Handler; readonly [profile: string]: Handler }

const wellKnown = '/.well-known/oauth-protected-resource'

export class HttpServer {
  readonly #config: GatewayConfig
  readonly #control: Control
  readonly #authenticators: ReturnType<typeof authenticators>
  #sets: readonly string[]
  readonly #watch: ReturnType<typeof credentialWatch>
  readonly #allowedHosts: AllowedHosts
  readonly #manage
  readonly #endpoints = new Map<string, { readonly app: McpServer; readonly handlers: EndpointHandlers }>()
  readonly #http: Server
  readonly #reserveMemory = memoryReservation()
  #isLeaving = false
  readonly #replicas: types.ReplicaRoutes | undefined
  readonly #sessions: HttpOptions['sessions']
  readonly #isOpening: () => boolean
  readonly #fromReplica: ReturnType<typeof replicaRequests> | undefined

  constructor({ config, control, token, endpoints, isOpening, routes, replicas, sessions }: HttpServerOptions) {
    this.#config = config
    this.#control = control
    this.#sets = setsOf(endpoints)
    this.#authenticators = authenticators(config, { keys: control.store.keys, token, sets: () => this.#sets })
    this.#watch = credentialWatch(this.#authenticators.managers, control.store.keys)
    this.#sessions = sessions
    this.#isOpening = isOpening
    this.#allowedHosts = allowedHosts(extraHostNames(config.host, config.allowedHosts))
    this.#manage = managementApi(control, routes)
    if (replicas) {
      const { list, key, send, finishLogin } = replicas
      this.#replicas = replicaRoutes({ list, send })
      const answer = (req: ForwardedNodeRequest, res: ServerResponse) =>
        req.url === loginReturnPath ? void answerLoginReturn(req, res, finishLogin) : this.#answerForwarded(req, res)
      this.#fromReplica = replicaRequests({ key, self: list.self, answer, refuse: respondNotFound })
    }
    this.#http = strictServer({}, this.#listener)
    this.serve(endpoints)
  }

  /** Serves these endpoints from now on. Unchanged endpoints keep their handlers. */
  serve(endpoints: ServedEndpoints): void {
    this.#sets = setsOf(endpoints)
    const before = new Map(this.#endpoints)
    this.#endpoints.clear()
    for (const [set, app] of endpoints) {
      const path = pathOf(set)
      const known = before.get(path)
      this.#endpoints.set(path, known?.app === app ? known : { app, handlers: this.#handlersFor(app, set) })
    }
  }

  /** Resolves with the address once the server listens. */
  listen(): Promise<AddressInfo> {
    return listenAt(this.#http, this.#config, gatewayPortAdvice)
  }

  /** Ends each connection with its next response, so that its client connects to another replica. */
  leave(): void {
    this.#isLeaving = true
  }

  /** Accepts no more connections; running requests may finish. */
  shut(): void {
    this.#watch.close()
    this.#http.close()
    this.#http.closeIdleConnections()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()))
    this.#http.closeIdleConnections()
    // The last responses still have to be sent.
    const last = setTimeout(() => this.#http.closeAllConnections(), 250)
    await closed
    clearTimeout(last)
  }

  readonly #listener: RequestListener = (req, res) => {
    if (this.#isLeaving) res.shouldKeepAlive = false
    if (!this.#reserveMemory(req, res)) return rejectRequest(req, res)
    const { authorization, 'x-api-key': key } = req.headers
    if (authorization !== undefined || key !== undefined) this.#watch.add(req, res)
    const { url = '/' } = req
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const handlers = this.#handlersAt(path)
    if (handlers) return query < 0 ? handlers.official(req, res) : handleProfile(handlers, url.slice(query), req, res)
    if (path === replicaPath && this.#fromReplica) return this.#fromReplica(req, res)
    void this.#handleOther(path, req, res).catch(() =>
      sendJson(res, 500, { error: 'The request failed because of an internal error. See the log of the gateway' }),
    )
  }

  /** Responds to a request that another replica has forwarded; only endpoints are available. */
  #answerForwarded(req: ForwardedNodeRequest, res: ServerResponse): void {
    const [path = '', query = ''] = req.url.split('?', 2)
    const handlers = this.#handlersAt(path)
    if (handlers) handleProfile(handlers, query, req, res)
    else respondNotFound(res)
  }

  #handlersAt(path: string): EndpointHandlers | undefined {
    return this.#endpoints.get(path)?.handlers ?? this.#beside(path)
  }

  /** Paths outside an endpoint that belong to it: for clients of the first revision, and for OAuth discovery. */
  #beside(path: string): EndpointHandlers | undefined {
    if (path === '/sse' || path === '/messages') return this.#endpoints.get('/mcp')?.handlers
    if (!path.startsWith(wellKnown)) return undefined
    return this.#config.callers.oauth && this.#endpoints.get(path.slice(wellKnown.length) || '/mcp')?.handlers
  }

  async #handleOther(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (path === '/health') return this.#health(req, res)
    if (path === '/livez') return sendJson(res, 200, { status: 'ok' })
    if (path === '/readyz') return this.#ready(res)
    if (path !== '/metrics' && !path.startsWith(`${apiBase}/`)) return respondNotFound(res)
    const caller = await this.#managerOf(req, res)
    if (caller && path === '/metrics') await this.#metrics(res, caller)
    else if (caller) await this.#manage(req, res, caller)
    const refusal = refusedAction(req, res, caller?.id)
    if (refusal) this.#control.refused(refusal)
  }

  /** Readiness probe: may requests be sent here? */
  #ready(res: ServerResponse): void {
    const { status } = this.#control.health()
    const isUp = status === 'ok' || status === 'degraded'
    const reason = isUp ? (this.#isOpening() ? notReadyReasons.opening : undefined) : notReadyReasons[status]
    sendJson(res, reason === undefined ? 200 : 503, reason === undefined ? { status: 'ok' } : { status: 'not ready', reason })
  }

  /** Without a credential, a health check shows only the overall state. */
  async #health(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const health = this.#control.health()
    const caller =
      this.#allowedHosts.check(req) === undefined ? await this.#authenticators.managers(requestCredentials(req)) : undefined
    const isKnown = caller && !('denied' in caller) && isManager(caller)
    const status = health.status === 'failing' || health.status === 'draining' ? 503 : 200
    sendJson(res, status, isKnown ? health : { status: health.status })
  }

  async #metrics(res: ServerResponse, caller: Caller): Promise<void> {
    if (!hasScope(caller, metricsScope)) return sendJson(res, 403, { error: `This needs a key with the scope ${metricsScope}` })
    const text = this.#control.metrics.text(await currentGauges(this.#control))
    res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' })
    res.end(text)
  }

  async #managerOf(req: IncomingMessage, res: ServerResponse): Promise<Caller | undefined> {
    const foreign = this.#allowedHosts.check(req)
    if (foreign !== undefined) return void sendJson(res, 403, { error: foreign })
    const found = await this.#authenticators.managers(requestCredentials(req))
    if (found && !('denied' in found)) return found
    res.setHeader('www-authenticate', 'Bearer')
    sendJson(res, 401, { error: found?.description ? `${found.description}. ${credentialAdvice}` : credentialAdvice })
    return undefined
  }

  #handlersFor(app: McpServer, set: string | undefined): EndpointHandlers {
    const { oauth } = this.#config.callers
    const options: HttpOptions = {
      hosts: extraHostNames(this.#config.host, this.#config.allowedHosts),
      origins: this.#config.allowedOrigins,
      authenticate: authenticateForSet(this.#authenticators.callers, set),
      ...(this.#replicas && { replicas: this.#replicas }),
      ...(this.#sessions && { sessions: this.#sessions }),
      ...(oauth && {
        resource: {
          url: publicUrlOf(this.#config, set),
          authorizationServers: [oauth.issuer],
          ...(oauth.scopes && { scopes: oauth.scopes }),
        },
      }),
    }
    return {
      official: nodeHandler(app, set === undefined ? { ...options, legacySse: true } : options),
      pocket: nodeHandler(app, { ...options, profile: 'pocket' }),
    }
  }
}

const respondNotFound = (res: ServerResponse): void => sendJson(res, 404, { error: 'Not found. The endpoint is /mcp' })

/** Selects the profile by the query: `?profile=pocket` for the pocket digest, otherwise all official revisions. */
function handleProfile(handlers: EndpointHandlers, query: string, req: IncomingMessage, res: ServerResponse): void {
  const profile = new URLSearchParams(query).get('profile') ?? 'official'
  const handler = Object.hasOwn(handlers, profile) ? handlers[profile] : undefined
  if (handler) return void handler(req, res)
  req.resume()
  sendJson(res, 400, { error: 'Unknown profile. Use ?profile=pocket, or omit it' })
}

const notReadyReasons = {
  draining: 'The gateway is being stopped',
  failing: 'The store cannot be used',
  opening: 'A server is still being opened',
} as const

const credentialAdvice =
  'Managing the gateway needs a credential, even on this machine. The toolwire command finds the credential if it runs as the account of the ' +
  'gateway; set TOOLWIRE_DATA_DIR for a data directory of your own. Other programs send "Authorization: Bearer …" with the first line of ' +
  'management.token in the data directory, or with a key that has the scope toolwire:admin (toolwire keys create)'

const outOfMemory =
  'The gateway has too little memory for a request of this size at the moment. Nothing was done. Try again in a moment'

/** Reads and drops the whole request first: a response before its end is lost if the connection closes. */
function rejectRequest(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('retry-after', '1')
  req.resume().once('end', () => sendJson(res, 429, { error: outOfMemory }))
}

const setsOf = (endpoints: ServedEndpoints): string[] => [...endpoints.keys()].filter((set) => set !== undefined)

const pathOf = (set: string | undefined): string => (set === undefined ? '/mcp' : `/mcp/${set}`)

/** Throws if other machines could call without a credential. */
export function checkNotOpen({ host, callers, apiKey }: Pick<GatewayConfig, 'host' | 'callers' | 'apiKey'>): void {
  if (isLoopback(host) || callers.apiKeys || callers.oauth || apiKey !== undefined) return
  throw new Error(
    `Other machines can reach ${host} without a credential. Set callers.apiKeys, callers.oauth or TOOLWIRE_API_KEY, or listen on 127.0.0.1`,
  )
}
