// The web console. It has its own origin, because code on its page acts for the user.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { strictServer, wire } from 'toolwire/relay'
import { adminScope } from '../access/authenticate.js'
import { isCredentialValid } from '../access/credentials.js'
import type { Control } from '../api/control/control.js'
import { type ManagementApi, managementApi } from '../api/management-api.js'
import { apiBase } from '../api/openapi.js'
import { sendJson } from '../api/responses.js'
import { HttpRefusal, type Route } from '../api/route.js'
import { builtFile } from '../config/built-file.js'
import type { ConsoleConfig } from '../config/gateway-config.js'
import { hostInUrl } from '../config/own-address.js'
import { type AllowedHosts, allowedHosts, extraHostNames, loopbackNames } from '../http/allowed-hosts.js'
import { isPortTaken, listenAt } from '../http/listen.js'
import { refusedAction } from '../http/refused-requests.js'
import type { StoredSession } from '../store/store.js'
import { type Assets, readAssets, serveAsset } from './assets.js'
import { consoleRoutes } from './console-routes.js'
import { type LinkIssuer, LoginLinks } from './login-links.js'
import { setSecurityHeaders } from './security-headers.js'
import { linkRequired, type SessionParts, serveSession, sessionActor, sessionOf } from './session-endpoint.js'
import { Sessions } from './sessions.js'

export const pageFolder = (): string => fileURLToPath(new URL('.', builtFile('console/index.html', "The console's page")))

type ConsoleServerOptions = {
  readonly config: ConsoleConfig
  readonly control: Control
  readonly onNote: (words: string) => void
  /** The operator's key. Sessions that another one has opened have ended. */
  readonly apiKey?: string | undefined
  /** Additional routes for signed-in browsers only. */
  readonly routes?: readonly Route[]
  /** The folder of the page, if not the one in this package. */
  readonly page?: string | undefined
  readonly now?: (() => number) | undefined
}

export const defaultConsolePort = 4181
const portAdvice = '. Stop the other program, or choose another port for the console with --console-port or TOOLWIRE_CONSOLE_PORT'
const mostConnections = 256
const sweptEveryMs = 2_000

export class ConsoleServer {
  readonly sessions: Sessions
  readonly #options: ConsoleServerOptions
  readonly #links: LoginLinks
  readonly #assets: Assets
  readonly #site: AllowedHosts
  readonly #parts: SessionParts
  readonly #manage: ManagementApi
  readonly #http: Server
  /** Responses to requests that were in flight when their session ended, which are no attack. */
  readonly #cutOff = new WeakSet<ServerResponse>()
  #port = 0
  #sweep: NodeJS.Timeout | undefined
  #stop: () => void = () => undefined

  constructor(options: ConsoleServerOptions) {
    const { config, control, apiKey, routes = [], page = pageFolder(), now } = options
    this.#options = options
    this.#site = allowedHosts([...loopbackNames, ...extraHostNames(config.host)])
    this.#assets = readAssets(page)
    this.#links = new LoginLinks(now)
    const known = { keys: control.store.keys, apiKey }
    const isValid = ({ credential }: StoredSession) => credential === undefined || isCredentialValid({ credential }, known)
    this.sessions = new Sessions(control.store.sessions, isValid, now ?? control.store.fleet?.now)
    this.#parts = {
      links: this.#links,
      sessions: this.sessions,
      // A reload may switch the log on or off.
      get log() {
        return control.log
      },
      port: () => this.#port,
    }
    this.#manage = managementApi(control, [...consoleRoutes(this), ...routes])
    this.#http = strictServer({}, (req, res) => void this.#answer(req, res))
    this.#http.maxConnections = mostConnections
  }

  get url(): string {
    return `http://${hostInUrl(this.#options.config.host)}:${this.#port}`
  }

  /** Creates a login link. Its token is in the fragment, which no log and no other page receives. */
  newLink(maker?: LinkIssuer): { readonly url: string; readonly expiresAt: number } {
    const { token, expiresAt } = this.#links.make(maker)
    return { url: `${this.url}/#login=${token}`, expiresAt }
  }

  async listen(): Promise<void> {
    const { config, control, onNote } = this.#options
    this.#port = await this.#listen(config)
    if (config.port === undefined && this.#port !== defaultConsolePort)
      onNote(`Port ${defaultConsolePort} is in use, so the console is at ${this.url}`)
    // Expired sessions must be ended even without a request, because their streams may still be open.
    this.#sweep = setInterval(() => void this.sessions.list(), sweptEveryMs).unref()
    this.#stop = control.store.keys.onRevoke(() => void this.sessions.list())
  }

  /** Listens at the configured port; otherwise at the default port or any free one. */
  async #listen({ host, port = defaultConsolePort }: ConsoleConfig): Promise<number> {
    const listening = listenAt(this.#http, { host, port }, portAdvice).catch((thrown: unknown) => {
      if (this.#options.config.port !== undefined || !isPortTaken(thrown)) throw thrown
      return listenAt(this.#http, { host, port: 0 }, portAdvice)
    })
    return (await listening).port
  }

  /** Accepts no more connections; running requests may finish. */
  shut(): void {
    clearInterval(this.#sweep)
    this.#stop()
    this.#http.close()
    this.#http.closeIdleConnections()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()))
    this.#http.closeAllConnections()
    await closed
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    setSecurityHeaders(res)
    // A stream that ended with its session may still emit an error.
    res.on('error', () => undefined)
    let actor: string | undefined
    try {
      actor = await this.#route(req, res)
    } catch (thrown) {
      if (thrown instanceof HttpRefusal) sendJson(res, thrown.status, { error: thrown.message, ...thrown.details })
      else
        sendJson(res, 500, {
          error: 'The request failed because of an internal error. See toolwire status, and the log of the gateway',
        })
    }
    const refusal = this.#cutOff.has(res) ? undefined : refusedAction(req, res, actor)
    if (refusal) this.#options.control.refused(refusal)
  }

  /** Returns who acts, if a session does. */
  async #route(req: IncomingMessage, res: ServerResponse): Promise<string | undefined> {
    if (this.#isReturn(req)) return void serveAsset(this.#assets, Object.assign(req, { url: '/' }), res)
    if (this.#site.check(req) !== undefined) throw new HttpRefusal(403, foreignOrigin)
    const path = pathOf(req)
    if (path === '/session') return void (await serveSession(req, res, this.#parts))
    if (path.startsWith(`${apiBase}/`)) return this.#api(req, res)
    return void serveAsset(this.#assets, req, res)
  }

  /** Is this a navigation from a login page, or from the local file that opens the console? It gets the page, but no session. */
  #isReturn({ method, url = '/', headers, socket }: IncomingMessage): boolean {
    const isPage = headers['sec-fetch-dest'] === undefined || headers['sec-fetch-dest'] === 'document'
    return (
      method === 'GET' &&
      returnPaths.has(url.split('?', 1)[0] ?? '') &&
      isPage &&
      this.#site.isOurs(headers.host ?? '', socket.localPort)
    )
  }

  async #api(req: IncomingMessage, res: ServerResponse): Promise<string> {
    const session = sessionOf(req, this.#parts)
    const actor = sessionActor(session)
    const isOwnEnd = req.method === 'DELETE' && pathOf(req) === `${apiBase}/console/sessions/${session.id}`
    const stop = this.sessions.onEnd((id) => {
      if (id !== session.id || isOwnEnd) return
      if (res.headersSent) return endEarly(res)
      this.#cutOff.add(res)
      sendJson(res, 401, { error: linkRequired })
    })
    res.once('close', stop)
    await this.#manage(req, res, {
      id: actor,
      scopes: [adminScope],
      ...(session.openedBy !== undefined && { openedBy: session.openedBy }),
      ...(session.credential !== undefined && { credential: session.credential }),
      expiresAt: this.sessions.times(session).endsAt,
    })
    return actor
  }
}

/** Ends an event stream; cuts anything else, so that half a file is not taken for a whole one. */
function endEarly(res: ServerResponse): void {
  if (res.getHeader('content-type') === 'text/event-stream') res.end()
  else if (!res.writableEnded) wire.destroyResponse(res)
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/'

/** Paths for the return from a login to a server, and for a local file that opens the console: see cli/open-browser.ts. */
const returnPaths: ReadonlySet<string> = new Set(['/logged-in', '/enter'])

const foreignOrigin =
  'Only the console itself may use this address. To open the console, type or paste its address instead of following a link'
