import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { problem } from './config-error.js'
import type { Environment } from './variables.js'

/** The parts of a machine that the search for files depends on. */
export type Machine = {
  readonly env: Environment
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly cwd: string
}

/** This machine, except for the given values. */
export function machineOf(
  about: Pick<Machine, 'env' | 'cwd'> & { [K in 'home' | 'platform']?: Machine[K] | undefined },
): Machine {
  const { env, cwd, home = homeOf(env) ?? homedir(), platform = process.platform } = about
  return { env, cwd, home, platform }
}

/** Resolves a path relative to a folder, or to the home folder if the path starts with ~. */
export function resolvePath(folder: string, path: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? path : resolve(folder, path)
}

export const homeOf = (env: Environment): string | undefined => env.HOME || env.USERPROFILE || undefined

/** The folder of a config's project: hosts keep theirs in a subfolder such as .vscode. */
export function workspaceOf(path: string): string {
  const folder = dirname(path)
  return basename(folder).startsWith('.') ? dirname(folder) : folder
}

export function defaultDataDir({ env, home, platform }: Machine): string {
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, 'toolwire')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'toolwire')
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'toolwire')
  return join(home, '.local', 'share', 'toolwire')
}

/** Throws if there is something else in place of the folder. A missing folder is created when it is needed. */
export async function refuseOtherDataDir(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined)
  if (found && !found.isDirectory())
    throw problem('', `The data directory ${directory} is not a folder. Choose another with --data-dir`)
}

/** The user's own config, independent of the current folder; a new config is written there. */
export const defaultConfigPath = ({ env, home }: Pick<Machine, 'env' | 'home'>): string =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'toolwire', 'mcp.json')

/** The paths to search for a config, in this order. */
export function configSearchPaths(machine: Machine): string[] {
  const own = ['mcp.json', '.mcp.json', join('.vscode', 'mcp.json'), join('.cursor', 'mcp.json')]
  return [...own.map((path) => join(machine.cwd, path)), defaultConfigPath(machine)]
}
