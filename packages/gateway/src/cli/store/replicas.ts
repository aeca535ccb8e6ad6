import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { formatDuration } from '../output/time.js'
import { lookAtStore } from './shared-store.js'

export const run: RunCommand = async (input, terminal) => {
  const { replicas, aheadMs } = await lookAtStore(input)
  if (terminal.json) return void terminal.printJson({ replicas })
  if (replicas.length === 0) return void terminal.say('No gateway uses the store now. Start one with toolwire up')
  const now = Date.now() + aheadMs
  const rows = replicas.map(({ id, name, version, address, startedAt, seenAt }) => [
    ...[id.slice(0, 8), name, version, formatDuration(now - startedAt), `${formatDuration(now - seenAt)} ago`, address ?? ''],
  ])
  terminal.print(table(['ID', 'MACHINE', 'VERSION', 'UP', 'SEEN', 'ADDRESS'], rows, terminal))
}
