import { stat } from 'node:fs/promises'
import { ConfigError } from './config-error.js'
import { configSearchPaths, type Machine, resolvePath } from './paths.js'

/** The config file to read: the given path, or the first usual path that exists, or none. */
export async function findConfig(said: string | undefined, machine: Machine): Promise<string | undefined> {
  const given = said || machine.env.TOOLWIRE_CONFIG
  if (given) return resolvePath(machine.cwd, given, machine.home)
  for (const path of configSearchPaths(machine)) if (await isThere(path)) return path
  return undefined
}

/** Does a file exist? An unreadable file is an error, so that no other file is taken instead. */
async function isThere(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isDirectory()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    const message = 'exists but cannot be read; change its permissions, or name another file with --config'
    throw new ConfigError([{ at: '', message }], { file: path, cause })
  }
}
