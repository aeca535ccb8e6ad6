import type { Replica } from '../../store/postgres/replicas.js'
import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { formatDuration } from '../output/time.js'
import { lookAtStore } from './shared-store.js'

export const run: RunCommand = async (input, terminal) => {
  const { replicas, aheadMs } = await lookAtStore(input)
  if (terminal.json) return void terminal.printJson({ replicas })
  if (replicas.length === 0) return void terminal.say('No gateway uses the store now. Start one with toolwire up')
  const now = Date.now() + aheadMs
  const rows = replicas.map(({ id, name, version, address = '', startedAt, seenAt, ...rest }) => [
    ...[
      id.slice(0, 8),
      name,
      version,
      formatDuration(now - startedAt),
      `${formatDuration(now - seenAt)} ago`,
      configOf(rest),
      address,
    ],
  ])
  terminal.print(table(['ID', 'MACHINE', 'VERSION', 'UP', 'SEEN', 'CONFIG', 'ADDRESS'], rows, terminal))
}

/** toolwire config history says why one cannot be applied. */
function configOf({ configVersion, configTrouble }: Pick<Replica, 'configVersion' | 'configTrouble'>): string {
  if (configVersion === undefined) return 'file'
  const inForce = configVersion === 0 ? 'none yet' : `version ${configVersion}`
  return configTrouble === undefined ? inForce : `${inForce}, not the newest`
}
