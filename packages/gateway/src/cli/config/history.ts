import type { Replica } from '../../store/postgres/replicas.js'
import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { laggingReplicaLines } from '../store/lagging-replicas.js'
import { lookAtStore } from '../store/shared-store.js'
import { visibleTextLine } from '../terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const found = await lookAtStore(input)
  const { configs, replicas } = found
  const following = replicas.filter(({ configVersion }) => configVersion !== undefined)
  const versions = configs.map((one) => ({ ...one, inForceAt: following.filter(has(one.version)).map(({ id }) => id) }))
  const troubles = following.flatMap(({ id, name, configTrouble: why }) => (why === undefined ? [] : [{ id, name, why }]))
  if (terminal.json) return void terminal.printJson({ versions, troubles })
  if (versions.length === 0) return void terminal.say('No config was pushed yet. Push one: toolwire config push <file>')
  const rows = versions.map(({ version, at, by, hash, inForceAt, note, restores }) => [
    ...[String(version), formatTime(at), by, hash.slice(0, 12)],
    inForceAt.length === 0 ? '' : `${inForceAt.length} of ${following.length}`,
    [...(restores === undefined ? [] : [`version ${restores} again`]), ...(note === undefined ? [] : [note])].join(': '),
  ])
  terminal.print(table(['VERSION', 'PUSHED', 'BY', 'HASH', 'IN FORCE', 'NOTE'], rows, terminal))
  for (const line of laggingReplicaLines(found)) terminal.say(terminal.paint.yellow(visibleTextLine(line)))
}

const has =
  (version: number) =>
  ({ configVersion }: Replica): boolean =>
    configVersion === version
