// Manages logins through the running gateway, or in its data directory if no gateway runs.
import type { JsonObject } from 'toolwire'
import { type LoadOptions, loadConfig } from '../../config/load-config.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { packageVersion } from '../../lifecycle/version.js'
import { LoginFailure, type LoginRequest, type LogoutResult, type PendingLogin } from '../../upstreams/logins/logins.js'
import { UpstreamLogins } from '../../upstreams/logins/upstream-logins.js'
import { type ApiClient, ApiRefusal } from '../api/api-client.js'
import { type CommandInput, usageProblem } from '../command.js'
import { listIn, stringIn } from '../json-members.js'
import { gatewayOrLocal, localOperator, openLocalStore } from '../target/gateway-or-local.js'
import { nearestNames } from '../target/nearest-names.js'

export type LoginManager = AsyncDisposable & {
  /** Parts of a discovered config that wait for acceptance, and whose servers are missing from the list. */
  readonly waiting?: readonly string[]
  list(): Promise<readonly JsonObject[]>
  begin(wish: Omit<LoginRequest, 'by'>): Promise<PendingLogin>
  finish(login: string, address: string): Promise<void>
  forget(server: string, user: string | undefined): Promise<LogoutResult>
}

export async function loginManagerFor(input: CommandInput): Promise<LoginManager> {
  const manager = await gatewayOrLocal<LoginManager>(input, { gateway: gatewayLogins, own: localLogins })
  return {
    ...manager,
    begin: (wish) => manager.begin(wish).catch(mistakenServer(wish.server, manager)),
    forget: (server, user) => manager.forget(server, user).catch(mistakenServer(server, manager)),
  }
}

/** For `catch`: a server that is unknown, or has no such login, is a mistake in the command line. */
function mistakenServer(server: string, { list }: Pick<LoginManager, 'list'>): (thrown: unknown) => Promise<never> {
  return async (thrown) => {
    const isUnknown = thrown instanceof ApiRefusal && [404, 409].includes(thrown.status)
    if (!isUnknown && !(thrown instanceof LoginFailure && thrown.why !== 'failed')) throw thrown
    const names = (await list()).map((one) => stringIn(one, 'server') ?? '')
    const like = names.includes(server) ? [] : nearestNames(server, names)
    throw usageProblem(like.length > 0 ? `${thrown.message}; did you mean ${like.join(' or ')}?` : thrown.message)
  }
}

function gatewayLogins(api: ApiClient): Omit<LoginManager, keyof AsyncDisposable> {
  const at = (server: string) => `/servers/${encodeURIComponent(server)}/logins`
  return {
    list: async () => listIn(await api.request('/logins'), 'logins'),
    async begin({ server, redirectUri, user, scopes = [] }) {
      const body = { redirectUri, scopes: [...scopes], ...(user !== undefined && { user }) }
      return (await api.request(at(server), { method: 'POST', body })) as unknown as PendingLogin // the API returns this type
    },
    async finish(login, address) {
      await api.request(`/logins/${encodeURIComponent(login)}`, { method: 'POST', body: { address } })
    },
    async forget(server, user) {
      const { revoked, note } = await api.request(at(server), { method: 'DELETE', query: { user } })
      return { revoked: revoked === true, ...(typeof note === 'string' && { note }) }
    },
  }
}

async function localLogins(load: LoadOptions): Promise<LoginManager> {
  const config = await loadConfig(load)
  const { upstreams, guard, trust } = config
  const store = await openLocalStore(config, load.env)
  const log = guard.audit ? store.audit : undefined
  const waiting = trust?.waiting ?? []
  const parts = { store, version: packageVersion, upstreams: () => upstreams, waiting: () => waiting, log: () => log }
  const logins = await UpstreamLogins.open(parts).catch(async (thrown: unknown) => {
    await store.close()
    throw thrown
  })
  return {
    waiting: untrustedLines(waiting),
    list: async () => logins.list() as unknown as JsonObject[], // LoginManager declares JSON
    begin: (wish) => logins.begin({ ...wish, by: localOperator }),
    finish: async (login, address) => void (await logins.finish({ login, address, by: localOperator })),
    async forget(server, user) {
      const end = await logins.forget(server, user, localOperator)
      if (!end) throw new LoginFailure('unknown', `There is no login for "${server}"`)
      return end
    },
    async [Symbol.asyncDispose]() {
      logins.close()
      await store.close()
    },
  }
}
