import { inspectStore, migrateStore } from '../../store/postgres/inspect-store.js'
import { CommandError, type RunCommand } from '../command.js'
import { sharedStoreUrl } from './shared-store.js'

export const run: RunCommand = async (input, terminal) => {
  const url = await sharedStoreUrl(input)
  const before = await inspectStore(url)
  if (before.refusal !== undefined) throw new CommandError(before.refusal)
  await migrateStore(url)
  const { at, tables } = await inspectStore(url)
  const changed = tables.filter(({ version }, index) => version !== before.tables[index]?.version).map(({ part }) => part)
  if (terminal.json) return void terminal.printJson({ at, tables, changed })
  const now = tables.map(({ part, version }) => `${part} version ${version}`).join(', ')
  terminal.say(changed.length === 0 ? `Nothing to do: ${now}` : `Migrated ${at}: ${now}`)
}
