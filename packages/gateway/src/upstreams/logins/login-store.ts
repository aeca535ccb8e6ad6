// Stored logins: all data is sealed in the vault, and memory holds only the parts that may be shown.
import type { TokenStore } from 'toolwire/client/oauth'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { Store } from '../../store/store.js'
import type { LoginOwner } from './login-messages.js'
import { loginTurns } from './login-turns.js'
import type { LoginView } from './logins.js'

/** The data of a login that is needed to use and renew it. */
export type StoredLogin = LoginView & {
  readonly redirectUri: string
  /** Scopes requested for this login in addition to those in the config. */
  readonly more: readonly string[]
}

type LoginHolder = { readonly whose: LoginOwner; readonly login: StoredLogin }

const entry = 'toolwire login'
const caller = 'caller '

export type LoginStore = Awaited<ReturnType<typeof openLoginStore>>

/** A login that cannot be read counts as missing, so the user has to log in again. */
export async function openLoginStore({ vault, fleet }: Pick<Store, 'vault' | 'fleet'>, onNote: (text: string) => void) {
  const all = new Map<string, LoginHolder>()
  const oneByOne = oneAtATime()
  const inTurn = fleet && loginTurns(fleet)
  const store = (whose: LoginOwner): TokenStore => ({
    ...vault.tokens(whose.server, principalOf(whose)),
    ...(inTurn && { inTurn: (work) => inTurn(loginKeyOf(whose), work) }),
  })
  const drop = async (whose: LoginOwner): Promise<boolean> => {
    const was = all.delete(loginKeyOf(whose))
    await vault.forget(whose.server, principalOf(whose))
    return was
  }
  for (const { server, principal } of await vault.holders()) {
    const whose = { server, ...userOf(principal) }
    try {
      const text = await store(whose).get(entry)
      if (text !== undefined) all.set(loginKeyOf(whose), { whose, login: JSON.parse(text) as StoredLogin }) // written by `put`
    } catch (thrown) {
      onNote(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return {
    store,
    get: (whose: LoginOwner): StoredLogin | undefined => all.get(loginKeyOf(whose))?.login,
    of: (server: string): readonly LoginHolder[] => [...all.values()].filter(({ whose }) => whose.server === server),
    /** Replaces the earlier login. The entry that marks the login as present is written last. */
    put: (whose: LoginOwner, login: StoredLogin, tokens: ReadonlyMap<string, string>): Promise<void> =>
      oneByOne(async () => {
        await drop(whose)
        for (const [name, value] of tokens) await store(whose).set(name, value)
        await store(whose).set(entry, JSON.stringify(login))
        all.set(loginKeyOf(whose), { whose, login })
      }),
    /** Removes a login, and returns its stored data as far as it can be read; undefined if there was no such login. */
    forget: (whose: LoginOwner): Promise<ReadonlyMap<string, string> | undefined> =>
      oneByOne(async () => {
        const held = await vault.all(whose.server, principalOf(whose)).catch(() => new Map<string, string>())
        return (await drop(whose)) ? held : undefined
      }),
  }
}

export const loginKeyOf = ({ server, user }: LoginOwner): string => JSON.stringify([server, user])

const principalOf = ({ user }: LoginOwner): string => (user === undefined ? 'gateway' : caller + user)

const userOf = (principal: string): { user?: string } =>
  principal.startsWith(caller) ? { user: principal.slice(caller.length) } : {}
