// Stored logins: all data is sealed in the vault, and memory holds only the parts that may be shown.
import type { TokenStore } from 'toolwire/client/oauth'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { CredentialKey } from '../../store/database/sealed-rows.js'
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

type LoginHolder = { readonly whose: LoginOwner; readonly login: StoredLogin; readonly sealed: string }

type LoginStoreOptions = {
  readonly onNote: (text: string) => void
  /** Called when another replica has stored or removed a login. */
  readonly onChange: (whose: LoginOwner) => void
}

const entry = 'toolwire login'
const caller = 'caller '

export type LoginStore = Awaited<ReturnType<typeof openLoginStore>>

/** A login that cannot be read counts as missing, so the user has to log in again. */
export async function openLoginStore(
  { vault, logins, fleet }: Pick<Store, 'vault' | 'logins' | 'fleet'>,
  { onNote, onChange }: LoginStoreOptions,
) {
  const all = new Map<string, LoginHolder>()
  const oneByOne = oneAtATime()
  const inTurn = fleet && loginTurns(fleet)
  /** The value that is being stored here, of which the change feed tells as well. */
  let written: string | undefined

  const store = (whose: LoginOwner): TokenStore => ({
    ...vault.tokens(whose.server, principalOf(whose)),
    ...(inTurn && { inTurn: (work) => inTurn(loginKeyOf(whose), work) }),
  })

  /** Changes a login while no other replica renews or changes it. */
  const alone = <T>(whose: LoginOwner, work: () => Promise<T>): Promise<T> =>
    inTurn ? inTurn(loginKeyOf(whose), () => oneByOne(work)) : oneByOne(work)

  function hold(key: string, sealed: string | undefined): void {
    if (all.get(key)?.sealed === sealed) return
    all.delete(key)
    if (sealed === undefined) return
    const whose = ownerOf(key)
    try {
      all.set(key, { whose, login: JSON.parse(vault.open(placeOf(whose), sealed)) as StoredLogin, sealed }) // sealed by `write`
    } catch (thrown) {
      onNote(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }

  async function write(whose: LoginOwner, text: string): Promise<void> {
    const key = loginKeyOf(whose)
    written = vault.seal(placeOf(whose), text)
    try {
      await logins.put(key, written)
    } finally {
      written = undefined
    }
    hold(key, logins.get(key))
  }

  async function drop(whose: LoginOwner): Promise<boolean> {
    const key = loginKeyOf(whose)
    const was = all.delete(key)
    try {
      if (logins.get(key) !== undefined) await logins.drop(key)
    } finally {
      hold(key, logins.get(key)) // a login whose removal could not be written remains
    }
    await vault.forget(whose.server, principalOf(whose))
    return was
  }

  /** Older versions kept the login beside its tokens. */
  async function adopt(whose: LoginOwner): Promise<void> {
    const tokens = store(whose)
    const text = logins.get(loginKeyOf(whose)) === undefined ? await tokens.get(entry) : undefined
    if (text === undefined) return
    await write(whose, text)
    await tokens.delete(entry)
  }

  for (const [key, sealed] of logins.entries()) hold(key, sealed)
  logins.onChange((key, sealed) => {
    hold(key, sealed)
    if (sealed === undefined || sealed !== written) onChange(ownerOf(key))
  })
  for (const { server, principal } of await vault.holders())
    await adopt({ server, ...userOf(principal) }).catch((thrown: unknown) =>
      onNote(thrown instanceof Error ? thrown.message : String(thrown)),
    )
  return {
    store,
    get: (whose: LoginOwner): StoredLogin | undefined => all.get(loginKeyOf(whose))?.login,
    of: (server: string): readonly LoginHolder[] => [...all.values()].filter(({ whose }) => whose.server === server),
    /** Reads what other replicas have changed until now. */
    refresh: logins.refresh,
    /** Replaces the earlier login. The entry that marks the login as present is written last. */
    put: (whose: LoginOwner, login: StoredLogin, tokens: ReadonlyMap<string, string>): Promise<void> =>
      alone(whose, async () => {
        await drop(whose)
        for (const [name, value] of tokens) await store(whose).set(name, value)
        await write(whose, JSON.stringify(login))
      }),
    /** Removes a login, and returns its stored data as far as it can be read; undefined if there was no such login. */
    forget: (whose: LoginOwner): Promise<ReadonlyMap<string, string> | undefined> =>
      alone(whose, async () => {
        const held = await vault.all(whose.server, principalOf(whose)).catch(() => new Map<string, string>())
        return (await drop(whose)) ? held : undefined
      }),
  }
}

export const loginKeyOf = ({ server, user }: LoginOwner): string => JSON.stringify([server, user])

function ownerOf(key: string): LoginOwner {
  const [server, user] = JSON.parse(key) as [string, string | null] // as `loginKeyOf` has written it
  return user === null ? { server } : { server, user }
}

const principalOf = ({ user }: LoginOwner): string => (user === undefined ? 'gateway' : caller + user)

const placeOf = (whose: LoginOwner): CredentialKey => ({ server: whose.server, principal: principalOf(whose), name: entry })

const userOf = (principal: string): { user?: string } =>
  principal.startsWith(caller) ? { user: principal.slice(caller.length) } : {}
