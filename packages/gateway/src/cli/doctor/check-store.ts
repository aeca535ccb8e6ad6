import type { GatewayConfig } from '../../config/index.js'
import { unsafeNote } from '../../store/postgres/check-server.js'
import { inspectStore } from '../../store/postgres/inspect-store.js'
import { StoreFailure } from '../../store/store-failure.js'
import type { CommandInput } from '../command.js'
import { laggingReplicaLines } from '../store/lagging-replicas.js'
import { keyPlaces } from '../store/shared-store.js'
import { type DoctorFinding, errorFinding, okFinding, warningFinding } from './finding.js'

const doubtfulMs = 5_000

/** Does the database answer, and does it hold a usable store? */
export async function checkStore(config: GatewayConfig, env: CommandInput['env']): Promise<DoctorFinding[]> {
  const { store } = config
  if (store === undefined) return []
  try {
    const found = await inspectStore(store, keyPlaces(config, env))
    const { at, version, aheadMs, pooler, tables, replicas, refusal } = found
    if (refusal !== undefined) return [errorFinding('store', refusal)]
    const isNew = tables.every((table) => table.version === 0)
    const through = pooler === 'transaction' ? ', through a pooler in transaction mode' : ''
    const gateways = isNew ? 'the first gateway creates its tables' : `${replicas.length} gateways use it now`
    const unsafe = unsafeNote(found)
    const clock = `The clocks of this machine and of PostgreSQL differ by ${Math.round(Math.abs(aheadMs) / 1_000)} s, and at 60 s no gateway starts. Synchronize both clocks with NTP`
    return [
      okFinding('store', `PostgreSQL ${version} at ${at}${through}; ${gateways}`),
      ...(Math.abs(aheadMs) > doubtfulMs ? [warningFinding('store', clock)] : []),
      ...(unsafe === undefined ? [] : [warningFinding('store', unsafe)]),
      ...laggingReplicaLines(found).map((line) => warningFinding('replicas', line)),
    ]
  } catch (thrown) {
    if (!(thrown instanceof StoreFailure)) throw thrown
    return [errorFinding('store', thrown.message)]
  }
}
