// Where keys are made: at a gateway that runs, or in the data directory while none does.
import type { JsonObject } from 'toolwire'
import { addKey, keyView, type NewKeyRequest, revokeKey } from '../../api/routes/keys.js'
import { configPlaces } from '../../config/index.js'
import { openStore } from '../../store/open-store.js'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import { CommandError, type CommandInput, exitCodes, optionText } from '../command.js'
import { listIn } from '../json-members.js'
import { gatewayOrLocal } from '../target/gateway-or-local.js'

type KeyManager = AsyncDisposable & {
  list(): Promise<readonly JsonObject[]>
  create(wish: NewKeyRequest): Promise<JsonObject>
  revoke(id: string): Promise<void>
}

export const keyManagerFor = (input: CommandInput): Promise<KeyManager> =>
  gatewayOrLocal<KeyManager>(input, { gateway: () => gatewayKeys(apiClientOf(input)), own: () => localKeys(input) })

function gatewayKeys(api: ApiClient): KeyManager {
  return {
    list: async () => listIn(await api.request('/keys'), 'keys').map(({ hash: _, ...rest }) => rest),
    create: ({ scopes = [], ...rest }) => api.request('/keys', { method: 'POST', body: { ...rest, scopes: [...scopes] } }),
    revoke: async (id) => void (await api.request(`/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** A user who can read the data directory is the operator. */
const by = 'operator'

async function localKeys(input: CommandInput): Promise<KeyManager> {
  const { env, cwd } = input
  const { dataDir, audit } = await configPlaces({
    path: optionText(input, 'config'),
    env,
    cwd,
    flags: { dataDir: optionText(input, 'dataDir') },
  })
  const store = await openStore(dataDir, { vaultKey: env.TOOLWIRE_VAULT_KEY }).catch(throwStoreInUse)
  const place = { store, log: audit ? store.audit : undefined }
  return {
    list: async () => store.keys.list().map(keyView),
    create: (wish) => addKey(place, wish, by),
    async revoke(id) {
      if (!(await revokeKey(place, id, by))) throw new CommandError(`There is no key "${id.slice(0, 40)}" in ${dataDir}`)
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** Another process has the data directory, and only that one may change what is in it. */
export function throwStoreInUse(thrown: unknown): never {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  if (!why.includes('is in use by')) throw thrown
  throw new CommandError(`${why} If that process is a gateway, name it with --gateway.`, exitCodes.connection, { cause: thrown })
}
