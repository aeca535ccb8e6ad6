// Where people log in and out: at a gateway that runs, or in the data directory while none does.
import type { JsonObject } from 'toolwire'
import type { LoggedOut, LoginBegun, LoginWish } from '../../door/logins.js'
import { type Api, apiOf } from '../api/api.js'
import { listIn } from '../json.js'
import type { Input } from '../spec.js'
import { deskFor } from '../target/desk-for.js'
import { ownDesk } from './own-desk.js'

export type Desk = AsyncDisposable & {
  /** What of a found config is not used, so that its servers are not among those where people log in. */
  readonly waiting?: readonly string[]
  list(): Promise<readonly JsonObject[]>
  begin(wish: Omit<LoginWish, 'by'>): Promise<LoginBegun>
  finish(login: string, address: string): Promise<void>
  forget(server: string, user: string | undefined): Promise<LoggedOut>
}

export const deskOf = (input: Input): Promise<Desk> =>
  deskFor<Desk>(input, { gateway: () => gatewayDesk(apiOf(input)), own: () => ownDesk(input) })

function gatewayDesk(api: Api): Desk {
  const at = (server: string) => `/servers/${encodeURIComponent(server)}/logins`
  return {
    list: async () => listIn(await api.ask('/logins'), 'logins'),
    async begin({ server, redirectUri, user, scopes = [] }) {
      const body = { redirectUri, scopes: [...scopes], ...(user !== undefined && { user }) }
      return (await api.ask(at(server), { method: 'POST', body })) as unknown as LoginBegun // as the gateway makes it
    },
    async finish(login, address) {
      await api.ask(`/logins/${encodeURIComponent(login)}`, { method: 'POST', body: { address } })
    },
    async forget(server, user) {
      const { revoked, note } = await api.ask(at(server), { method: 'DELETE', query: { user } })
      return { revoked: revoked === true, ...(typeof note === 'string' && { note }) }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
