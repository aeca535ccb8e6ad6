import { untrustedLines } from '../../config/trust/trust-messages.js'
import { unsafeNote } from '../../store/postgres/check-server.js'
import { inspectStore, type StoreInspection, type TableVersion } from '../../store/postgres/inspect-store.js'
import { exitCodes, type RunCommand } from '../command.js'
import { visibleText } from '../terminal/visible-text.js'
import { keyPlaces, storePlaces } from './shared-store.js'

export const run: RunCommand = async (input, terminal) => {
  const places = await storePlaces(input)
  const { store, dataDir, waiting } = places
  if (store === undefined) {
    // The settings that wait may name another store.
    const waits = untrustedLines(waiting)
    const lines = [...waits, `The store is the data directory ${dataDir}, of one gateway alone.`]
    if (terminal.json) terminal.printJson({ kind: 'sqlite', dataDir, ...(waits.length > 0 && { waits }) })
    else terminal.print(visibleText(lines.join('\n')))
    return exitCodes.ok
  }
  const found = await inspectStore(store, keyPlaces(places, input.env))
  if (terminal.json) terminal.printJson({ kind: 'postgres', ...found })
  else for (const line of statusLines(found)) terminal.print(line)
  return found.refusal === undefined ? exitCodes.ok : exitCodes.failed
}

function statusLines(found: StoreInspection): string[] {
  const { at, version, aheadMs, pooler, tables, replicas, refusal } = found
  const unsafe = unsafeNote(found)
  return [
    `PostgreSQL ${version} at ${at}`,
    ...tables.map(tableLine),
    `Clock difference: ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`,
    pooler === 'transaction' ? 'Pooler: one in transaction mode, which is supported' : 'Pooler: none detected',
    `Gateways: ${replicas.length}${replicas.length > 0 ? ', shown by toolwire replicas' : ''}`,
    ...(unsafe === undefined ? [] : [unsafe]),
    ...(refusal === undefined ? [] : [`No gateway starts here with this database: ${refusal}`]),
  ]
}

function tableLine({ part, version, known }: TableVersion): string {
  if (version === 0) return `Tables (${part}): none yet; the first gateway or toolwire store migrate creates them`
  const newer = version < known ? `; toolwire store migrate brings them to version ${known}` : ''
  return `Tables (${part}): version ${version}${newer}`
}
