import { loadConfig } from '../../config/index.js'
import { configuredRules } from '../../guard/policy/configured-rules.js'
import { contentHash } from '../../store/postgres/config-versions.js'
import { inspectConfigs } from '../../store/postgres/inspect-store.js'
import { CommandError, type RunCommand } from '../command.js'
import { keyPlaces, sharedStorePlaces } from '../store/shared-store.js'
import { addVersion, changesBetween, newestConfig, noteIn, printChanges, reportUnchanged } from './add-version.js'
import { versionNumber } from './version-number.js'

/** The old content becomes a new version, so that the history lists everything that was ever in force. */
export const run: RunCommand = async (input, terminal) => {
  const { env, cwd } = input
  const note = noteIn(input)
  const places = await sharedStorePlaces(input)
  const { newest, old, content, warnings } = await inspectConfigs(places.store, keyPlaces(places, env), async (configs) => {
    const found = await newestConfig(configs)
    const wanted = versionNumber(input) ?? (found.newest?.version ?? 0) - 1
    return { ...found, old: wanted > 0 ? await configs.read(wanted) : undefined }
  })
  if (!newest || !old) throw new CommandError('There is no such version to go back to. See toolwire config history')
  const [base, wanted] = [newest.version, old.version]
  const hash = contentHash(old)
  if (content && contentHash(content) === hash)
    return void reportUnchanged(content, `Nothing to do: version ${base} has the content of version ${wanted}`, terminal)
  const next = { ...old, version: base + 1 }
  await configuredRules(await loadConfig({ stored: next, env, cwd, missing: 'keep' }))
  const changes = await changesBetween(content, next, input)
  await addVersion(places, { base, restores: wanted, ...(note !== undefined && { note }) }, env)
  if (terminal.json)
    return void terminal.printJson({ version: base + 1, restores: wanted, hash, changed: true, changes, warnings })
  printChanges(base + 1, changes, terminal)
  for (const warning of warnings) terminal.say(terminal.paint.yellow(warning))
  terminal.say(`Version ${base + 1} has the content of version ${wanted}. toolwire config history shows where it is in force`)
}
