// Manages the logins to upstreams: the credentials for requests, and logging in and out.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Caller, ToolError } from 'toolwire'
import type { Credentials } from 'toolwire/client'
import type { AuditLog } from 'toolwire/guard'
import type { Target, UpstreamConfig, UpstreamLogin } from '../../config/gateway-config.js'
import { runRecorded } from '../../store/audit/record-action.js'
import type { Store } from '../../store/store.js'
import type { UpstreamClientOptions } from '../open-client.js'
import { type LoginServers, loginConfigOf, loginUpstream } from './login-config.js'
import { beginLoginFlow, loginTimeoutMs } from './login-flow.js'
import { type LoginOwner, notLoggedIn } from './login-messages.js'
import { type LoginStore, loginKeyOf, openLoginStore, type StoredLogin } from './login-store.js'
import { LoginFailure, type LoginRequest, type LoginReturn, loginNotPending, type PendingLogin } from './logins.js'
import { pendingLogins } from './pending-logins.js'
import { revokeLogin } from './revoke-login.js'
import { storedCredentials } from './stored-credentials.js'

/** The public state of a server's logins. With `perUser`, each caller logs in, and the gateway's own login only serves the lists. */
export type ServerLogins = ReturnType<typeof serverLoginsOf>

function serverLoginsOf(server: string, { perUser }: UpstreamLogin, kept: ReturnType<LoginStore['of']>) {
  const own = kept.find(({ whose }) => whose.user === undefined)
  const users = kept.flatMap(({ whose: { user }, login }) => (user === undefined ? [] : [{ user, ...loginViewOf(login) }]))
  return { server, perUser, loggedIn: own !== undefined, ...(own && { login: loginViewOf(own.login) }), users }
}

const loginViewOf = ({ since, issuer, scopes }: StoredLogin) => ({ since, issuer, scopes })

type UpstreamLoginsOptions = LoginServers & {
  readonly store: Store
  /** The version of the gateway, as declared to upstreams during a login. */
  readonly version: string
  /** The audit log for logins, unless it is switched off. */
  readonly log: () => AuditLog | undefined
  readonly onNote?: (text: string) => void
}

type CachedCredentials = { readonly auth: Credentials; readonly kept: StoredLogin | undefined; readonly target: Target }

export type Logins = Pick<UpstreamLogins, 'list' | 'begin' | 'finish' | 'forget'>

export class UpstreamLogins {
  /** Called when a login was replaced or removed, here or at another replica. */
  onChange: (whose: LoginOwner) => Promise<unknown> = async () => undefined
  /** Finishes a login at the replica that began it. */
  finishAt: (replica: string, given: LoginReturn) => Promise<PendingLogin> = () => Promise.reject(loginNotPending())
  readonly #options: UpstreamLoginsOptions
  readonly #kept: LoginStore
  readonly #pendingLogins = pendingLogins()
  readonly #credentialsCache = new Map<string, CachedCredentials>()

  private constructor(options: UpstreamLoginsOptions, kept: LoginStore) {
    this.#options = options
    this.#kept = kept
  }

  static async open(options: UpstreamLoginsOptions): Promise<UpstreamLogins> {
    const { onNote = () => undefined } = options
    const reportFailure = (thrown: unknown) => onNote(thrown instanceof Error ? thrown.message : String(thrown))
    let logins: UpstreamLogins | undefined
    const onChange = (whose: LoginOwner) => {
      if (logins) logins.#changed(whose).catch(reportFailure)
    }
    logins = new UpstreamLogins(options, await openLoginStore(options.store, { onNote, onChange }))
    return logins
  }

  /** Credentials for an upstream: the gateway's login, and each caller's if configured. Callers' own credentials are never forwarded. */
  optionsFor(upstream: UpstreamConfig): Pick<UpstreamClientOptions, 'auth' | 'authOf'> {
    const login = loginConfigOf(upstream)
    if (!login) return {}
    const auth = this.#credentials({ server: upstream.id }, upstream.target, login)
    return login.perUser ? { auth, authOf: (caller) => this.#credentialsOf(caller, upstream, login) } : { auth }
  }

  list(): readonly ServerLogins[] {
    return this.#options.upstreams().flatMap((upstream) => this.view(upstream) ?? [])
  }

  /** Undefined if the upstream has no login. */
  view(upstream: UpstreamConfig): ServerLogins | undefined {
    const login = loginConfigOf(upstream)
    return login && serverLoginsOf(upstream.id, login, this.#kept.of(upstream.id))
  }

  async begin({ server, user, redirectUri, scopes = [], by }: LoginRequest): Promise<PendingLogin> {
    const { upstream, url, login } = loginUpstream(this.#options, { server, user })
    const whose: LoginOwner = { server, user }
    const before = this.#kept.get(whose)
    const more = [...new Set([...(before?.more ?? []), ...scopes])]
    const wanted = [...new Set([...(login.scopes ?? []), ...more])]
    const issuer = before && { issuer: before.issuer }
    const { version, store } = this.#options
    const place = this.#pendingLogins.reserve(by)
    const { signal } = place
    const asked = { version, upstream, url, login, redirectUri, scopes: wanted, ...issuer, signal }
    const flow = await beginLoginFlow(asked).catch((thrown: unknown) => {
      this.#pendingLogins.free(place)
      throwLoginFailure(thrown)
    })
    const { about, page } = flow
    const expiresAt = Date.now() + loginTimeoutMs
    const id = [store.fleet?.id ?? [], randomUUID()].flat().join(idSeparator)
    const pending = { login: id, server, ...(user !== undefined && { user }), page: page.href, ...about, expiresAt }
    this.#pendingLogins.add(place, { whose, flow, pending, kept: { since: 0, redirectUri, more, ...about } })
    return pending
  }

  /** Completes a login, at the replica that began it. A pending login can be used only once. */
  async finish(given: LoginReturn): Promise<PendingLogin> {
    const { fleet } = this.#options.store
    const [replica = ''] = given.login.split(idSeparator)
    if (!fleet || replica === fleet.id) return this.#finishHere(given)
    const finished = await this.finishAt(replica, given)
    // Without the database, this replica knows of the login a little later.
    await this.#kept.refresh().catch(() => undefined)
    return finished
  }

  async #finishHere({ login, address, by }: LoginReturn): Promise<PendingLogin> {
    const { whose, flow, kept, pending } = this.#pendingLogins.take(login, by)
    const end = async () => {
      const tokens = await flow.finish(address).catch(throwLoginFailure)
      await this.#kept.put(whose, { ...kept, since: Date.now() }, tokens)
    }
    await runRecorded(this.#options.log(), { by, act: 'login', about: auditDetailsOf(whose) }, end)
    await this.#changed(whose)
    return pending
  }

  /** Removes a login and revokes its tokens; undefined if there was no such login. */
  async forget(server: string, user: string | undefined, by: string) {
    const whose: LoginOwner = { server, user }
    const login = this.#kept.get(whose)
    if (!login) return undefined
    const act = { by, act: 'logout', about: auditDetailsOf(whose) }
    const held = await runRecorded(this.#options.log(), act, async () => (await this.#kept.forget(whose)) ?? false)
    if (!held) return undefined
    await this.#changed(whose)
    const upstream = this.#options.upstreams().find(({ id }) => id === server)
    return revokeLogin({ upstream, login, held })
  }

  close(): void {
    this.onChange = async () => undefined
    this.#pendingLogins.close()
  }

  async #changed(whose: LoginOwner): Promise<void> {
    this.#credentialsCache.delete(loginKeyOf(whose))
    await this.onChange(whose)
  }

  #credentialsOf(caller: Caller, { id, target }: UpstreamConfig, login: UpstreamLogin): Credentials {
    const whose: LoginOwner = { server: id, user: caller.id }
    if (!this.#kept.get(whose)) throw new ToolError(notLoggedIn(whose))
    return this.#credentials(whose, target, login)
  }

  /** Returns the same object while the login is unchanged, so that concurrent requests renew tokens once. */
  #credentials(whose: LoginOwner, target: Target, login: UpstreamLogin): Credentials {
    const key = loginKeyOf(whose)
    const kept = this.#kept.get(whose)
    const known = this.#credentialsCache.get(key)
    if (known && known.kept === kept && isDeepStrictEqual(known.target, target)) return known.auth
    const isCurrent = async () => {
      await this.#kept.refresh()
      return this.#kept.get(whose) === kept
    }
    const auth = storedCredentials({ whose, login, kept, store: this.#kept.store(whose), isCurrent })
    this.#credentialsCache.set(key, { auth, kept, target })
    return auth
  }
}

/** Between the id of the replica that began a login and the rest of its id. */
const idSeparator = '.'

const auditDetailsOf = ({ server, user }: LoginOwner) => ({ server, ...(user !== undefined && { user }) })

function throwLoginFailure(thrown: unknown): never {
  if (thrown instanceof LoginFailure) throw thrown
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  throw new LoginFailure('failed', `The login failed: ${why}`, { cause: thrown })
}
