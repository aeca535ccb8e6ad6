import { inspectConfigs } from '../../store/postgres/inspect-store.js'
import { CommandError, isOptionOn, type RunCommand } from '../command.js'
import { keyPlaces, sharedStorePlaces } from '../store/shared-store.js'
import { visibleText } from '../terminal/visible-text.js'
import { versionLine } from './add-version.js'
import { versionNumber } from './version-number.js'

/** Prints the text to stdout as it was pushed, so that it can be written to a file, changed, and pushed again. */
export const run: RunCommand = async (input, terminal) => {
  const places = await sharedStorePlaces(input)
  const version = versionNumber(input)
  // Content that others have altered must not be pushed again, because the push would seal it.
  const found = await inspectConfigs(places.store, keyPlaces(places, input.env), ({ read }) => read(version))
  if (!found) throw new CommandError(version === undefined ? 'No config was pushed yet' : `There is no version ${version}`)
  if (terminal.json) return void terminal.printJson(found)
  const { config, policy } = found
  const shown = isOptionOn(input, 'policy') ? policy : config
  if (!shown) throw new CommandError(`Version ${found.version} has no rules`)
  const other = policy && shown === config ? '; its rules are shown by --policy' : ''
  terminal.say(terminal.paint.dim(visibleText(`${shown.name} of ${versionLine(found)}${other}`)))
  // A redirect to a file must get the exact text.
  terminal.print((process.stdout.isTTY ? visibleText(shown.text) : shown.text).replace(/\n$/, ''))
}
