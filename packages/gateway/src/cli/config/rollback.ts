import { loadConfig } from '../../config/index.js'
import { configuredRules } from '../../guard/policy/configured-rules.js'
import { contentHash } from '../../store/postgres/config-versions.js'
import { readStoredConfig } from '../../store/postgres/inspect-store.js'
import { CommandError, optionText, type RunCommand } from '../command.js'
import { sharedStorePlaces } from '../store/shared-store.js'
import { addVersion, changesBetween, printChanges, reportUnchanged } from './add-version.js'
import { versionNumber } from './version-number.js'

/** The old content becomes a new version, so that the history lists everything that was ever in force. */
export const run: RunCommand = async (input, terminal) => {
  const { env, cwd } = input
  const places = await sharedStorePlaces(input)
  const newest = await readStoredConfig(places.store)
  const wanted = versionNumber(input) ?? (newest?.version ?? 0) - 1
  const old = wanted > 0 ? await readStoredConfig(places.store, wanted) : undefined
  if (!newest || !old) throw new CommandError('There is no such version to go back to. See toolwire config history')
  const { version: base } = newest
  const hash = contentHash(old)
  if (contentHash(newest) === hash)
    return void reportUnchanged(newest, `Nothing to do: version ${base} has the content of version ${wanted}`, terminal)
  const next = { ...old, version: base + 1 }
  await configuredRules(await loadConfig({ stored: next, env, cwd, missing: 'keep' }))
  const changes = await changesBetween(newest, next, input)
  const note = optionText(input, 'note')
  await addVersion(places, { base, restores: wanted, ...(note !== undefined && { note }) }, env)
  if (terminal.json) return void terminal.printJson({ version: base + 1, restores: wanted, hash, changed: true, changes })
  printChanges(base + 1, changes, terminal)
  terminal.say(`Version ${base + 1} has the content of version ${wanted}. toolwire config history shows where it is in force`)
}
