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
const gateway = 'gateway'
const caller = 'caller '

export class LoginStore {
  readonly #vault: StoredVault
  readonly #all = new Map<string, LoginHolder>()
  readonly #oneByOne = oneAtATime()

  private constructor(vault: StoredVault) {
    this.#vault = vault
  }

  /** One that cannot be read is none: somebody logs in again. */
  static async open(vault: StoredVault, onNote: (text: string) => void): Promise<LoginStore> {
    const kept = new LoginStore(vault)
    for (const { server, principal } of await vault.holders()) {
      const whose = { server, ...userOf(principal) }
      try {
        const text = await kept.store(whose).get(entry)
        if (text !== undefined) kept.#all.set(keyOf(whose), { whose, login: JSON.parse(text) as StoredLogin }) // as `put` wrote it
      } catch (thrown) {
        onNote(thrown instanceof Error ? thrown.message : String(thrown))
      }
    }
    return kept
  }

  get(whose: LoginOwner): StoredLogin | undefined {
    return this.#all.get(keyOf(whose))?.login
  }

  of(server: string): readonly LoginHolder[] {
    return [...this.#all.values()].filter(({ whose }) => whose.server === server)
  }

  /** For tokens. */
  store(whose: LoginOwner): TokenStore {
    return this.#vault.tokens(whose.server, principalOf(whose))
  }

  /** In the place of the one before. What tells that it is there comes last. */
  put(whose: LoginOwner, login: StoredLogin, tokens: ReadonlyMap<string, string>): Promise<void> {
    return this.#oneByOne(async () => {
      await this.#drop(whose)
      const store = this.store(whose)
      for (const [name, value] of tokens) await store.set(name, value)
      await store.set(entry, JSON.stringify(login))
      this.#all.set(keyOf(whose), { whose, login })
    })
  }

  /** Gives what was kept for it, as far as it can be read; undefined if there was no such login. */
  forget(whose: LoginOwner): Promise<ReadonlyMap<string, string> | undefined> {
    return this.#oneByOne(async () => {
      const held = await this.#vault.all(whose.server, principalOf(whose)).catch(() => new Map<string, string>())
      return (await this.#drop(whose)) ? held : undefined
    })
  }

  async #drop(whose: LoginOwner): Promise<boolean> {
    const was = this.#all.delete(keyOf(whose))
    await this.#vault.forget(whose.server, principalOf(whose))
    return was
  }
}

const keyOf = ({ server, user }: LoginOwner): string => JSON.stringify([server, user])

const principalOf = ({ user }: LoginOwner): string => (user === undefined ? gateway : caller + user)

const userOf = (principal: string): { user?: string } =>
  principal.startsWith(caller) ? { user: principal.slice(caller.length) } : {}
