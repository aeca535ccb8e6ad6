import { stat } from 'node:fs/promises'
import { ConfigError } from './config-error.js'
import { configSearchPaths, type Machine, resolvePath } from './paths.js'

/** The file to read: what was said, else the first of the usual places that is there, else none. */
export async function findConfig(said: string | undefined, machine: Machine): Promise<string | undefined> {
  const given = said || machine.env.TOOLWIRE_CONFIG
  if (given) return resolvePath(machine.cwd, given, machine.home)
  for (const path of configSearchPaths(machine)) if (await isThere(path)) return path
  return undefined
}

/** A file that is there but may not be looked at is no reason to take another one. */
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
