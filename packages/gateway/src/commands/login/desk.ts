// Where people log in and out: at a gateway that runs, or in the data directory while none does.
import type { JsonObject } from 'toolwire'
import type { LoggedOut, LoginBegun, LoginWish } from '../../door/logins.js'
import { type Api, apiOf } from '../api/api.js'
import { exitCodes, Trouble } from '../exit-codes.js'
import { listIn } from '../json.js'
import { type Input, textOf } from '../spec.js'
import { ownDesk } from './own-desk.js'

export type Desk = AsyncDisposable & {
  list(): Promise<readonly JsonObject[]>
  begin(wish: Omit<LoginWish, 'by'>): Promise<LoginBegun>
  finish(login: string, address: string): Promise<void>
  forget(server: string, user: string | undefined): Promise<LoggedOut>
}

/** At the gateway that was named, or that answers where one usually does; a folder that was named is worked on directly. */
export async function deskOf(input: Input): Promise<Desk> {
  if (textOf(input, 'dataDir') !== undefined || textOf(input, 'config') !== undefined) return ownDesk(input)
  const desk = gatewayDesk(apiOf(input))
  const isNamed = textOf(input, 'gateway') !== undefined || Boolean(input.env.TOOLWIRE_URL)
  if (isNamed || (await answers(desk))) return desk
  return ownDesk(input)
}

async function answers(desk: Desk): Promise<boolean> {
  try {
    await desk.list()
    return true
  } catch (thrown) {
    if (thrown instanceof Trouble && thrown.exitCode === exitCodes.connection) return false
    throw thrown
  }
}

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
