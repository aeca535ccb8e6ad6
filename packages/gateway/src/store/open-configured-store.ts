import type { GatewayConfig } from '../config/gateway-config.js'
import { openStore } from './open-store.js'
import { auditSchema, sharedAudit } from './postgres/audit/shared-audit.js'
import { openPostgresStore, type PostgresStoreOptions } from './postgres/open-postgres-store.js'
import type { Store } from './store.js'

/** The store that a config names: the data directory alone, or a database that gateways share. */
export const openConfiguredStore = (
  { dataDir, store }: Pick<GatewayConfig, 'dataDir' | 'store'>,
  options: PostgresStoreOptions,
): Promise<Store> =>
  store === undefined
    ? openStore(dataDir, options)
    : openPostgresStore(store, dataDir, { audit: sharedAudit, tables: [auditSchema], ...options })
