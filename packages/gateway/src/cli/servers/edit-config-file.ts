// The one road of every change to the gateway's config: found as the gateway finds it, checked before it is written, the old file kept.
import { existsSync } from 'node:fs'
import type { JsonObject } from 'toolwire'
import { ConfigText } from '../../config/editing/config-text.js'
import { findConfig } from '../../config/find-config.js'
import { ifConfigError, loadConfig } from '../../config/index.js'
import { defaultConfigPath, machineOf } from '../../config/paths.js'
import { writeTrusted } from '../../config/trust/trusted-edit.js'
import { type CommandInput, isOptionOn, optionText, usageProblem } from '../command.js'
import type { Paint, Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'

/** The file that the gateway would read here; where there is none, the one of this user, if it may be made. */
export async function configToEdit(input: CommandInput, { create = false } = {}): Promise<ConfigText> {
  const machine = machineOf(input)
  const path = (await findConfig(optionText(input, 'config'), machine)) ?? defaultConfigPath(machine)
  if (/\.toml$/i.test(path))
    throw usageProblem(`${path} is TOML, which this command cannot change. Edit it by hand, or name an mcp.json with --config`)
  if (!create && !existsSync(path))
    throw usageProblem(`There is no config ${path}. Create it with toolwire add <name> -- <command>`)
  return ConfigText.open(path)
}

/** Throws, with the line, where the gateway could not use the file as it would be. */
export async function checkEditedConfig({ path, text }: ConfigText, { env, cwd }: CommandInput): Promise<readonly string[]> {
  const load = (missing: 'keep' | 'refuse') => loadConfig({ path, text, env, cwd, missing })
  await load('keep')
  const lacking = await load('refuse').then(
    () => undefined,
    ifConfigError(({ message }) => message),
  )
  return lacking === undefined ? [] : [`The gateway needs this where it runs: ${lacking}`]
}

export type ConfigEditResult = Awaited<ReturnType<typeof writeConfigEdit>>

/** Writes what has been made of it, unless that is the same or only to be shown; and says what the gateway will miss. */
export async function writeConfigEdit(config: ConfigText, input: CommandInput) {
  const warnings = await checkEditedConfig(config, input)
  const dryRun = isOptionOn(input, 'dryRun')
  const { path, diff, isChanged: changed } = config
  const backup = changed && !dryRun ? await writeTrusted(config, { env: input.env, cwd: input.cwd }) : undefined
  return { file: path, changed, dryRun, diff, ...(backup !== undefined && { backup }), warnings }
}

/** The change, and where it went. */
export function showConfigEdit(edited: ConfigEditResult, terminal: Terminal, what: string, more: JsonObject): undefined {
  const { file, diff, changed, dryRun, backup, warnings } = edited
  if (terminal.json) return void terminal.printJson({ ...edited, ...more })
  if (changed) terminal.print(colouredDiff(diff, terminal.paint))
  for (const warning of warnings) terminal.say(terminal.paint.yellow(visibleText(warning)))
  if (!changed) terminal.say(`Nothing has changed: ${file} has this already`)
  else if (dryRun) terminal.say(notWritten(file))
  else terminal.say(`${what} in ${file}${oldFile(backup)}. A running gateway picks up the change by itself`)
}

export const notWritten = (file: string): string => `Nothing was written. Without --dry-run, this is written to ${file}`
export const oldFile = (backup: string | undefined): string => (backup === undefined ? '' : `; the old file is ${backup}`)

/** A diff with what comes in green and what goes in red. */
export const colouredDiff = (diff: string, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')
