import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Json } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { pointerSegments } from '../../config/documents/document.js'
import type { ConfigText } from '../../config/editing/config-text.js'
import { ConfigError, loadConfig } from '../../config/index.js'
import { isWebUrl } from '../../config/witness-location.js'
import { isObject } from '../../json/is-object.js'
import { type CommandInput, isOptionOn, type RunCommand, usageProblem } from '../command.js'
import { type ConfigEditResult, configToEdit, showConfigEdit, writeConfigEdit } from './edit-config-file.js'

export const run: RunCommand = async (input, terminal) => {
  const [setting = '', word] = input.operands
  const path = ['toolwire', ...segmentsOf(setting)]
  const unset = isOptionOn(input, 'unset')
  if (unset && word !== undefined) throw usageProblem(`--unset removes ${setting}, and takes no value. Omit ${word}, or --unset`)
  if (!unset && word === undefined)
    throw usageProblem(`No value is given for ${setting}. Use toolwire set ${setting} <value>, or --unset`)
  const attempt = async (value?: Json) => {
    const file = await configToEdit(input, { create: true })
    if (value === undefined) file.remove(path)
    else file.set(path, withMovedPaths(value, path.slice(1).join('.'), { from: input.cwd, to: dirname(file.path) }))
    if (value !== undefined && path[1] === 'policy') await checkPolicy(file, input)
    return writeConfigEdit(file, input)
  }
  const edited = word === undefined ? await attempt() : await firstValid(word, attempt)
  showConfigEdit(edited, terminal, unset ? `${setting} is no longer set` : `${setting} is set`, { setting })
}

/** Settings that are paths. The config means them from its own folder, and users type them from the current one. */
const pathSettings: readonly string[] = ['policy', 'dataDir', 'witness.to', 'import.*']

type Folders = { readonly from: string; readonly to: string }

function withMovedPaths(value: Json, setting: string, folders: Folders): Json {
  if (typeof value === 'string') return pathSettings.includes(setting) ? movedPath(value, setting, folders) : value
  if (Array.isArray(value)) return value.map((one) => withMovedPaths(one, `${setting}.*`, folders))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, one && withMovedPaths(one, `${setting}.${name}`, folders)]),
  )
}

function movedPath(path: string, setting: string, { from, to }: Folders): string {
  const isHostName = setting === 'import.*' && !/[\\/.]/.test(path)
  if (from === to || isHostName || isAbsolute(path) || isWebUrl(path) || /^(~(\/|$)|\$\{)/.test(path)) return path
  const moved = relative(to, resolve(from, path))
  return moved.startsWith('..') ? resolve(from, path) : moved
}

/** Throws if the gateway could not use the rules, so that a path is not set by mistake. */
async function checkPolicy({ path, text }: ConfigText, { env, cwd }: CommandInput): Promise<void> {
  const config = await loadConfig({ path, text, env, cwd, missing: 'keep' })
  const { configuredRules } = await import('../../guard/policy/configured-rules.js')
  await configuredRules(config).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw usageProblem(`Nothing was written, because the gateway could not use this policy. ${why}`)
  })
}

/** Parses `guard.rate.calls`, or `/servers/shop/tools/a.b/hidden` for a name that contains a dot. */
function segmentsOf(setting: string): string[] {
  const segments = setting.startsWith('/') ? pointerSegments(setting) : setting.split('.')
  const own = segments[0] === 'toolwire' ? segments.slice(1) : segments
  if (own.length === 0 || own.includes(''))
    throw usageProblem('The setting is not valid. Write it as guard.rate.calls, or /servers/shop/tools/a.b/hidden')
  return own
}

/** Tries a word as JSON first, then as text, so that texts need no extra quotes. */
async function firstValid(word: string, attempt: (value: Json) => Promise<ConfigEditResult>): Promise<ConfigEditResult> {
  const json = jsonIn(word)
  if (json === undefined) return attempt(word)
  try {
    return await attempt(json)
  } catch (thrown) {
    if (!(thrown instanceof ConfigError) || typeof json === 'object') throw thrown
    return attempt(word).catch(() => {
      throw thrown
    })
  }
}

function jsonIn(word: string): Json | undefined {
  try {
    return parseJson(word)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    if (thrown.code !== 'syntax') throw usageProblem(`The value is not accepted: ${thrown.message}`)
    return undefined // a text
  }
}
