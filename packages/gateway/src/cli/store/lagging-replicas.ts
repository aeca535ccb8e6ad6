import type { StoreInspection } from '../../store/postgres/inspect-store.js'

/** A line for each replica that does not run the newest config in the database: its version, and the reason if known. */
export function laggingReplicaLines({ replicas, configs: [newest] }: Pick<StoreInspection, 'replicas' | 'configs'>): string[] {
  return replicas.flatMap(({ id, name, configVersion = newest?.version, configTrouble: why }) => {
    if (!newest || (configVersion === newest.version && why === undefined)) return []
    const inForce = configVersion ? `version ${configVersion} of the config` : 'no config'
    const line = `${id.slice(0, 8)} on ${name} has ${inForce} in force instead of version ${newest.version}`
    return [why === undefined ? line : `${line}: ${why}`]
  })
}
