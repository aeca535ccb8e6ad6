import type { Replica } from '../../store/postgres/replicas.js'
import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { formatDuration } from '../output/time.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { laggingReplicaLines } from './lagging-replicas.js'
import { lookAtStore } from './shared-store.js'

export const run: RunCommand = async (input, terminal) => {
  const found = await lookAtStore(input)
  const { replicas, aheadMs, configs } = found
  const newest = configs[0]?.version
  if (terminal.json) return void terminal.printJson({ replicas, newestConfig: newest ?? null })
  if (replicas.length === 0) return void terminal.say('No gateway uses the store now. Start one with toolwire up')
  const now = Date.now() + aheadMs
  const rows = replicas.map(({ id, name, version, address = '', startedAt, seenAt, ...rest }) => [
    ...[
      id.slice(0, 8),
      name,
      version,
      formatDuration(now - startedAt),
      `${formatDuration(now - seenAt)} ago`,
      configOf(rest, newest),
      address,
    ],
  ])
  terminal.print(table(['ID', 'MACHINE', 'VERSION', 'UP', 'SEEN', 'CONFIG', 'ADDRESS'], rows, terminal))
  for (const line of laggingReplicaLines(found)) terminal.say(terminal.paint.yellow(visibleTextLine(line)))
}

type Applied = Pick<Replica, 'configVersion' | 'configTrouble'>

function configOf({ configVersion, configTrouble }: Applied, newest = configVersion): string {
  if (configVersion === undefined) return 'file'
  const inForce = configVersion === 0 ? 'none yet' : `version ${configVersion}`
  return configTrouble === undefined && configVersion === newest ? inForce : `${inForce}, not the newest`
}
