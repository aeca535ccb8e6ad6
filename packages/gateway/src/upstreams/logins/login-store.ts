// Logins as they are kept: everything sealed in the vault, and here in memory only what may be seen.
import type { TokenStore } from 'toolwire/client/oauth'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { StoredVault } from '../../store/secrets/stored-vault.js'
import type { LoginOwner } from './login-messages.js'
import type { LoginView } from './logins.js'

/** What has to be known of a login to go on with it. */
export type StoredLogin = LoginView & {
  readonly redirectUri: string
  /** Scopes that somebody wanted for this login besides those of the config. */
  readonly more: readonly string[]
}

type LoginHolder = { readonly whose: LoginOwner; readonly login: StoredLogin }

const entry = 'toolwire login'
const caller = 'caller '

export type LoginStore = Awaited<ReturnType<typeof openLoginStore>>

/** One that cannot be read is none: somebody logs in again. */
export async function openLoginStore(vault: StoredVault, onNote: (text: string) => void) {
  const all = new Map<string, LoginHolder>()
  const oneByOne = oneAtATime()
  /** For tokens. */
  const store = (whose: LoginOwner): TokenStore => vault.tokens(whose.server, principalOf(whose))
  const drop = async (whose: LoginOwner): Promise<boolean> => {
    const was = all.delete(loginKeyOf(whose))
    await vault.forget(whose.server, principalOf(whose))
    return was
  }
  for (const { server, principal } of await vault.holders()) {
    const whose = { server, ...userOf(principal) }
    try {
      const text = await store(whose).get(entry)
      if (text !== undefined) all.set(loginKeyOf(whose), { whose, login: JSON.parse(text) as StoredLogin }) // as `put` wrote it
    } catch (thrown) {
      onNote(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return {
    store,
    get: (whose: LoginOwner): StoredLogin | undefined => all.get(loginKeyOf(whose))?.login,
    of: (server: string): readonly LoginHolder[] => [...all.values()].filter(({ whose }) => whose.server === server),
    /** In the place of the one before. What tells that it is there comes last. */
    put: (whose: LoginOwner, login: StoredLogin, tokens: ReadonlyMap<string, string>): Promise<void> =>
      oneByOne(async () => {
        await drop(whose)
        for (const [name, value] of tokens) await store(whose).set(name, value)
        await store(whose).set(entry, JSON.stringify(login))
        all.set(loginKeyOf(whose), { whose, login })
      }),
    /** Gives what was kept for it, as far as it can be read; undefined if there was no such login. */
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
