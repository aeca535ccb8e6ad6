import type { GatewayConfig } from '../config/gateway-config.js'
import { openStore } from './open-store.js'
import type { PostgresStoreOptions } from './postgres/open-postgres-store.js'
import type { Store } from './store.js'

/** Opens the store that a config names: the data directory, or a shared database, whose code is loaded only then. */
export async function openConfiguredStore(
  { dataDir, store }: Pick<GatewayConfig, 'dataDir' | 'store'>,
  options: PostgresStoreOptions,
): Promise<Store> {
  if (store === undefined) return openStore(dataDir, options)
  const { openPostgresStore } = await import('./postgres/open-postgres-store.js')
  return openPostgresStore(store, dataDir, options)
}
