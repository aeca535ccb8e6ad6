// Where people log in and out: at a gateway that runs, or in the data directory while none does.
import type { JsonObject } from 'toolwire'
import type { LoginRequest, LogoutResult, PendingLogin } from '../../upstreams/logins/logins.js'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import type { CommandInput } from '../command.js'
import { listIn } from '../json-members.js'
import { gatewayOrLocal } from '../target/gateway-or-local.js'
import { localLogins } from './local-logins.js'

export type LoginManager = AsyncDisposable & {
  /** What of a found config is not used, so that its servers are not among those where people log in. */
  readonly waiting?: readonly string[]
  list(): Promise<readonly JsonObject[]>
  begin(wish: Omit<LoginRequest, 'by'>): Promise<PendingLogin>
  finish(login: string, address: string): Promise<void>
  forget(server: string, user: string | undefined): Promise<LogoutResult>
}

export const loginManagerFor = (input: CommandInput): Promise<LoginManager> =>
  gatewayOrLocal<LoginManager>(input, { gateway: () => gatewayLogins(apiClientOf(input)), own: () => localLogins(input) })

function gatewayLogins(api: ApiClient): LoginManager {
  const at = (server: string) => `/servers/${encodeURIComponent(server)}/logins`
  return {
    list: async () => listIn(await api.request('/logins'), 'logins'),
    async begin({ server, redirectUri, user, scopes = [] }) {
      const body = { redirectUri, scopes: [...scopes], ...(user !== undefined && { user }) }
      return (await api.request(at(server), { method: 'POST', body })) as unknown as PendingLogin // as the gateway makes it
    },
    async finish(login, address) {
      await api.request(`/logins/${encodeURIComponent(login)}`, { method: 'POST', body: { address } })
    },
    async forget(server, user) {
      const { revoked, note } = await api.request(at(server), { method: 'DELETE', query: { user } })
      return { revoked: revoked === true, ...(typeof note === 'string' && { note }) }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
