// The one road of every change to the gateway's config: found as the gateway finds it, checked before it is written, the old file kept.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JsonObject } from 'toolwire'
import { inFile, parseDocument } from '../../config/documents/read-document.js'
import { maskedDiff } from '../../config/editing/masked-diff.js'
import { readContent, replaceWithBackup } from '../../config/editing/replace-file.js'
import { findConfig } from '../../config/find-config.js'
import { ConfigError, loadConfig } from '../../config/index.js'
import { defaultConfigPath } from '../../config/paths.js'
import { trustedEdit } from '../../config/trust/trusted-edit.js'
import { usageProblem } from '../command-error.js'
import { type CommandInput, isOptionOn, optionText } from '../command-spec.js'
import { machineOf } from '../hosts/machine.js'
import { colouredDiff } from '../output/coloured-diff.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'

/** The config to change. */
export type ConfigFile = { readonly path: string; readonly text: string; readonly value: JsonObject; readonly isNew: boolean }

export type ConfigEditResult = {
  readonly path: string
  readonly diff: string
  readonly changed: boolean
  readonly dryRun: boolean
  readonly backup: string | undefined
  /** What the gateway will miss, though nothing is wrong with the change. */
  readonly warnings: readonly string[]
}

/** The file that the gateway would read here; where there is none, the one of this user, if it may be made. */
export async function configToEdit(input: CommandInput, { create = false } = {}): Promise<ConfigFile> {
  const machine = machineOf(input)
  const path = (await findConfig(optionText(input, 'config'), machine)) ?? defaultConfigPath(machine)
  if (/\.toml$/i.test(path))
    throw usageProblem(`${path} is TOML, which this command cannot change. Edit it by hand, or name an mcp.json with --config`)
  const isNew = !existsSync(path)
  if (isNew && !create) throw usageProblem(`There is no config ${path}. Create it with toolwire add <name> -- <command>`)
  const text = (await readContent(path)) ?? ''
  const value = text.trim() === '' ? {} : inFile(path, () => parseDocument(path, text)().value)
  return { path, text, value, isNew }
}

/** Throws, with the line, where the gateway could not use the file as it would be. */
export async function checkEditedConfig(
  path: string,
  text: string,
  { env, cwd }: Pick<CommandInput, 'env' | 'cwd'>,
): Promise<readonly string[]> {
  const load = (missing: 'keep' | 'refuse') => loadConfig({ path, text, env, cwd, missing })
  await load('keep')
  try {
    await load('refuse')
    return []
  } catch (thrown) {
    if (thrown instanceof ConfigError) return [`The gateway needs this where it runs: ${thrown.message}`]
    throw thrown
  }
}

/** Writes what has been made of it, unless that is the same or only to be shown. */
export async function writeConfigEdit(
  { path, text: before, isNew }: ConfigFile,
  after: string,
  input: CommandInput,
): Promise<ConfigEditResult> {
  const warnings = await checkEditedConfig(path, after, input)
  const dryRun = isOptionOn(input, 'dryRun')
  const changed = after !== before
  const diff = maskedDiff(path, before, after)
  if (!changed || dryRun) return { path, diff, changed, dryRun, backup: undefined, warnings }
  mkdirSync(dirname(path), { recursive: true })
  const remember = await trustedEdit(
    { path, before: isNew ? undefined : before, text: after },
    { env: input.env, cwd: input.cwd },
  )
  const backup = await replaceWithBackup(path, isNew ? undefined : before, after)
  await remember()
  return { path, diff, changed, dryRun, backup, warnings }
}

/** The change, and where it went. */
export function showConfigEdit(
  edited: ConfigEditResult,
  terminal: Terminal,
  { what, more = {} }: { what: string; more?: JsonObject },
): void {
  const { path, diff, changed, dryRun, backup, warnings } = edited
  if (terminal.json) {
    terminal.printJson({ file: path, changed, dryRun, diff, ...(backup !== undefined && { backup }), warnings, ...more })
    return
  }
  if (changed) terminal.print(colouredDiff(diff, terminal.paint))
  for (const warning of warnings) terminal.say(terminal.paint.yellow(visibleText(warning)))
  const old = backup === undefined ? '' : `; the old file is ${backup}`
  if (!changed) terminal.say(`Nothing has changed: ${path} has this already`)
  else if (dryRun) terminal.say(`Nothing was written. Without --dry-run, this is written to ${path}`)
  else terminal.say(`${what} in ${path}${old}. A running gateway picks up the change by itself`)
}
