import type { StoreInspection } from '../../store/postgres/inspect-store.js'

/** Says of each replica that follows the config in the database, and has not its newest version in force, what it has, and why. */
export function laggingReplicaLines({ replicas, configs: [newest] }: Pick<StoreInspection, 'replicas' | 'configs'>): string[] {
  return replicas.flatMap(({ id, name, configVersion = newest?.version, configTrouble: why }) => {
    if (!newest || (configVersion === newest.version && why === undefined)) return []
    const inForce = configVersion ? `version ${configVersion} of the config` : 'no config'
    const line = `${id.slice(0, 8)} on ${name} has ${inForce} in force, and not version ${newest.version}`
    return [why === undefined ? line : `${line}: ${why}`]
  })
}
