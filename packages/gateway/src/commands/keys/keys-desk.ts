// Where keys are made: at a gateway that runs, or in the data directory while none does.
import type { JsonObject } from 'toolwire'
import { placesOf } from '../../config/index.js'
import { addKey, type KeyWish, keyView, revokeKey } from '../../door/management/keys.js'
import { openStore } from '../../store/open-store.js'
import { type Api, apiOf } from '../api/api.js'
import { exitCodes, Trouble } from '../exit-codes.js'
import { listIn } from '../json.js'
import { type Input, textOf } from '../spec.js'
import { deskFor } from '../target/desk-for.js'

export type KeysDesk = AsyncDisposable & {
  list(): Promise<readonly JsonObject[]>
  create(wish: KeyWish): Promise<JsonObject>
  revoke(id: string): Promise<void>
}

export const keysDeskOf = (input: Input): Promise<KeysDesk> =>
  deskFor<KeysDesk>(input, { gateway: () => gatewayDesk(apiOf(input)), own: () => ownDesk(input) })

function gatewayDesk(api: Api): KeysDesk {
  return {
    list: async () => listIn(await api.ask('/keys'), 'keys').map(({ hash: _, ...rest }) => rest),
    create: ({ scopes = [], ...rest }) => api.ask('/keys', { method: 'POST', body: { ...rest, scopes: [...scopes] } }),
    revoke: async (id) => void (await api.ask(`/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Whoever can read the data directory is the operator. */
const by = 'operator'

async function ownDesk(input: Input): Promise<KeysDesk> {
  const { env, cwd } = input
  const { dataDir, audit } = await placesOf({
    path: textOf(input, 'config'),
    env,
    cwd,
    flags: { dataDir: textOf(input, 'dataDir') },
  })
  const store = await openStore(dataDir, { vaultKey: env.TOOLWIRE_VAULT_KEY }).catch(taken)
  const place = { store, log: audit ? store.audit : undefined }
  return {
    list: async () => store.keys.list().map(keyView),
    create: (wish) => addKey(place, wish, by),
    async revoke(id) {
      if (!(await revokeKey(place, id, by))) throw new Trouble(`There is no key "${id.slice(0, 40)}" in ${dataDir}`)
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** Another process has the data directory, and only that one may change what is in it. */
export function taken(thrown: unknown): never {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  if (!why.includes('is in use by')) throw thrown
  throw new Trouble(`${why} If that is a gateway, name it by --gateway.`, exitCodes.connection, { cause: thrown })
}
