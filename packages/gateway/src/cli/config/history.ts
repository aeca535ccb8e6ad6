import { isSealBroken } from '../../store/postgres/config-versions.js'
import { type InspectedConfigs, inspectConfigs } from '../../store/postgres/inspect-store.js'
import type { Replica } from '../../store/postgres/replicas.js'
import { StoreFailure } from '../../store/store-failure.js'
import type { RunCommand } from '../command.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import { laggingReplicaLines } from '../store/lagging-replicas.js'
import { keyPlaces, lookAtStore, sharedStorePlaces } from '../store/shared-store.js'
import { visibleTextLine } from '../terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const found = await lookAtStore(input)
  const places = await sharedStorePlaces(input)
  const { broken, unchecked } = await inspectConfigs(places.store, keyPlaces(places, input.env), checkSeals)
  const { configs, replicas } = found
  const following = replicas.filter(({ configVersion }) => configVersion !== undefined)
  const versions = configs.map((one) => ({
    ...one,
    ...(broken.has(one.version) && { isSealBroken: true }),
    inForceAt: following.filter(has(one.version)).map(({ id }) => id),
  }))
  const troubles = following.flatMap(({ id, name, configTrouble: why }) => (why === undefined ? [] : [{ id, name, why }]))
  if (terminal.json) return void terminal.printJson({ versions, troubles, ...(unchecked !== undefined && { unchecked }) })
  if (versions.length === 0) return void terminal.say('No config was pushed yet. Push one: toolwire config push <file>')
  const rows = versions.map(({ version, at, by, hash, inForceAt, note, restores, ...more }) => [
    ...[String(version), formatTime(at), by, hash.slice(0, 12)],
    inForceAt.length === 0 ? '' : `${inForceAt.length} of ${following.length}`,
    [
      ...(more.isSealBroken ? ['not pushed with the key of these gateways'] : []),
      ...(restores === undefined ? [] : [`version ${restores} again`]),
      ...(note === undefined ? [] : [note]),
    ].join(': '),
  ])
  terminal.print(table(['VERSION', 'PUSHED', 'BY', 'HASH', 'IN FORCE', 'NOTE'], rows, terminal))
  if (unchecked !== undefined) terminal.say(terminal.paint.yellow(visibleTextLine(unchecked)))
  for (const line of laggingReplicaLines(found)) terminal.say(terminal.paint.yellow(visibleTextLine(line)))
}

/** The versions that are not as they were pushed, or the reason why that cannot be checked here. */
async function checkSeals({ all, read }: InspectedConfigs): Promise<{ broken: ReadonlySet<number>; unchecked?: string }> {
  const broken = new Set<number>()
  for (const { version } of all) {
    try {
      await read(version)
    } catch (thrown) {
      if (!(thrown instanceof StoreFailure)) throw thrown
      if (!isSealBroken(thrown)) return { broken, unchecked: `The seals of the versions were not checked. ${thrown.message}` }
      broken.add(version)
    }
  }
  return { broken }
}

const has =
  (version: number) =>
  ({ configVersion }: Replica): boolean =>
    configVersion === version
