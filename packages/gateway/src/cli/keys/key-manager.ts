// Manages API keys through the running gateway, or in its data directory if no gateway runs.
import type { JsonObject } from 'toolwire'
import { addKey, keyView, type NewKeyRequest, revokeKey } from '../../api/routes/keys.js'
import { configPlaces } from '../../config/index.js'
import { CommandError, type CommandInput } from '../command.js'
import { listIn } from '../json-members.js'
import { gatewayOrLocal, localOperator, openLocalStore } from '../target/gateway-or-local.js'

type KeyManager = AsyncDisposable & {
  list(): Promise<readonly JsonObject[]>
  create(wish: NewKeyRequest): Promise<JsonObject>
  revoke(id: string): Promise<void>
}

export const keyManagerFor = (input: CommandInput): Promise<KeyManager> =>
  gatewayOrLocal<KeyManager>(input, {
    gateway: (api) => ({
      list: async () => listIn(await api.request('/keys'), 'keys').map(({ hash: _, ...rest }) => rest),
      create: ({ scopes = [], ...rest }) => api.request('/keys', { method: 'POST', body: { ...rest, scopes: [...scopes] } }),
      revoke: async (id) => void (await api.request(`/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })),
    }),
    async own(load) {
      const places = await configPlaces(load)
      const store = await openLocalStore(places, load.env)
      const place = { store, log: places.audit ? store.audit : undefined }
      return {
        list: async () => store.keys.list().map(keyView),
        create: (wish) => addKey(place, wish, { id: localOperator }),
        async revoke(id) {
          if (await revokeKey(place, id, localOperator)) return
          throw new CommandError(`There is no key "${id.slice(0, 40)}" in ${places.dataDir}`)
        },
        [Symbol.asyncDispose]: () => store.close(),
      }
    },
  })
