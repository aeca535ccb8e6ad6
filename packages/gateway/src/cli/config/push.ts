import { findConfig } from '../../config/find-config.js'
import { configPlaces } from '../../config/index.js'
import { machineOf } from '../../config/paths.js'
import { isUnnamedConfig } from '../../config/trust/trust.js'
import { type ConfigVersion, contentHash } from '../../store/postgres/config-versions.js'
import { inspectConfigs } from '../../store/postgres/inspect-store.js'
import { CommandError, type CommandInput, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { keyPlaces, noSharedStore } from '../store/shared-store.js'
import { configPath } from '../target/target.js'
import { visibleText } from '../terminal/visible-text.js'
import { acceptFoundConfig, confirmAtTerminal } from '../trust/accept-found.js'
import { addVersion, changesBetween, newestConfig, noteIn, printChanges, reportUnchanged, versionLine } from './add-version.js'
import { contentToPush } from './content-to-push.js'

export const run: RunCommand = async (input, terminal) => {
  const { env, cwd } = input
  const note = noteIn(input)
  const wanted = baseIn(input)
  const named = configPath(input)
  const path = await findConfig(named, machineOf(input))
  if (path === undefined) throw usageProblem('There is no config here. Name one: toolwire config push <file>')
  const where = {
    path,
    asFound: isUnnamedConfig({ path: named, env }),
    env,
    cwd,
    flags: { dataDir: optionText(input, 'dataDir') },
  }
  // A version runs programs on every replica, so a found config needs the same acceptance as a start with it.
  if (terminal.interactive) await acceptFoundConfig(where, confirmAtTerminal({ paint: terminal.paint, signal: input.signal }))
  const { content, warnings: ofFile } = await contentToPush(where)
  const places = await configPlaces(where)
  if (places.store === undefined) throw noSharedStore()
  const { newest, content: old, warnings: ofNewest } = await inspectConfigs(places.store, keyPlaces(places, env), newestConfig)
  const warnings = [...ofFile, ...ofNewest]
  const [hash, base] = [contentHash(content), newest?.version ?? 0]
  if (old && contentHash(old) === hash)
    return void reportUnchanged(old, `Nothing to push: version ${base} has the content of ${visibleText(path)}`, terminal)
  refuseOtherBase(newest, wanted)
  const changes = await changesBetween(old, { ...content, version: base + 1 }, input)
  const dryRun = isOptionOn(input, 'dryRun')
  if (!dryRun) await addVersion(places, { base, content, ...(note !== undefined && { note }) }, env)
  if (terminal.json)
    return void terminal.printJson({ file: path, version: base + 1, hash, changed: !dryRun, dryRun, changes, warnings })
  printChanges(base + 1, changes, terminal)
  for (const warning of warnings) terminal.say(terminal.paint.yellow(visibleText(warning)))
  const done = `Version ${base + 1} is pushed, with the content of ${visibleText(path)}. toolwire config history shows where it is in force`
  terminal.say(dryRun ? `Nothing was pushed. Without --dry-run, ${visibleText(path)} becomes version ${base + 1}` : done)
}

function baseIn(input: CommandInput): string | undefined {
  const said = optionText(input, 'base')
  if (said === undefined || /^(\d{1,9}|newest)$/.test(said)) return said
  throw usageProblem('--base is the number of a version, or newest')
}

/** If two people start from the same version, the second must first review what the first has pushed. */
function refuseOtherBase(newest: ConfigVersion | undefined, said: string | undefined): void {
  if (said === 'newest' || Number(said ?? 0) === (newest?.version ?? 0)) return
  if (!newest) throw new CommandError(`There is no version ${said}: nothing was pushed yet. Push without --base`)
  const how = `Compare it with the file (toolwire config show), and push with --base ${newest.version}`
  throw new CommandError(`The database has ${versionLine(newest)}, which this would replace. ${how}`)
}
