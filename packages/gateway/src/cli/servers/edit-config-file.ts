// Commands change the gateway's config through these functions, which find the file, check the change, and keep a backup.
import { existsSync } from 'node:fs'
import type { JsonObject } from 'toolwire'
import { ConfigText } from '../../config/editing/config-text.js'
import { findConfig } from '../../config/find-config.js'
import { ifConfigError, type LoadOptions, loadConfig } from '../../config/index.js'
import { defaultConfigPath, machineOf } from '../../config/paths.js'
import { writeTrusted } from '../../config/trust/trusted-edit.js'
import { type CommandInput, isOptionOn, optionText, usageProblem } from '../command.js'
import type { Paint, Terminal } from '../terminal/terminal.js'
import { indentedText, visibleText } from '../terminal/visible-text.js'

/** The config that the gateway would read here, or else the user's own; unless `create` is set, the file must exist. */
export async function configToEdit(input: CommandInput, { create = false } = {}): Promise<ConfigText> {
  const machine = machineOf(input)
  const path = (await findConfig(optionText(input, 'config'), machine)) ?? defaultConfigPath(machine)
  if (/\.toml$/i.test(path))
    throw usageProblem(`${path} is TOML, which this command cannot change. Edit it by hand, or name an mcp.json with --config`)
  if (!create && !existsSync(path))
    throw usageProblem(`There is no config ${path}. Create it with toolwire add <name> -- <command>`)
  return ConfigText.open(path)
}

/** Throws, with line numbers, if the gateway could not use the changed file. Returns warnings about unset variables. */
export async function checkEditedConfig({ path, text }: ConfigText, { env, cwd }: CommandInput): Promise<readonly string[]> {
  const load = (missing: 'keep' | 'refuse') => loadConfig({ path, text, env, cwd, missing })
  await load('keep').catch(
    ifConfigError((refused) => {
      refused.message = `Nothing was written, because the gateway could not use the changed config. ${refused.message}`
      throw refused
    }),
  )
  const lacking = await load('refuse').then(
    () => undefined,
    ifConfigError(({ message }) => message),
  )
  return lacking === undefined ? [] : [`The gateway needs this where it runs: ${lacking}`]
}

export type ConfigEditResult = Awaited<ReturnType<typeof writeConfigEdit>>

/** Load options that name the data directory in which acceptance is recorded. */
export const trustedLoadOf = (input: CommandInput): LoadOptions => {
  const { env, cwd } = input
  return { env, cwd, flags: { dataDir: optionText(input, 'dataDir') } }
}

/** Checks and writes the changed config, unless there is no change or this is a dry run. */
export async function writeConfigEdit(config: ConfigText, input: CommandInput) {
  const warnings = await checkEditedConfig(config, input)
  const dryRun = isOptionOn(input, 'dryRun')
  const { path, diff, isChanged: changed } = config
  const backup = changed && !dryRun ? await writeTrusted(config, trustedLoadOf(input)) : undefined
  return { file: path, changed, dryRun, diff, ...(backup !== undefined && { backup }), warnings }
}

export function showConfigEdit(edited: ConfigEditResult, terminal: Terminal, what: string, more: JsonObject): undefined {
  const { file, diff, changed, dryRun, backup, warnings } = edited
  if (terminal.json) return void terminal.printJson({ ...edited, ...more })
  if (changed) terminal.print(colouredDiff(diff, terminal.paint))
  for (const warning of warnings) terminal.say(terminal.paint.yellow(indentedText(warning)))
  if (!changed) terminal.say(`Nothing has changed: ${file} has this already`)
  else if (dryRun) terminal.say(notWritten(file))
  else terminal.say(`${what} in ${file}${oldFile(backup)}. A running gateway picks up the change by itself`)
}

export const notWritten = (file: string): string => `Nothing was written. Without --dry-run, this is written to ${file}`
export const oldFile = (backup: string | undefined): string => (backup === undefined ? '' : `; the old file is ${backup}`)

export const colouredDiff = (diff: string, paint: Paint): string =>
  visibleText(diff)
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')
