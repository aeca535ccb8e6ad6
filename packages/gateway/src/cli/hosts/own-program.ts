import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Machine } from '../../config/index.js'

/** The absolute command of this program, which runs from any folder and with any PATH. */
export function ownProgram(machine: Machine): { readonly command: string; readonly program: string } {
  return { command: nodeOf(machine), program: ownPath() }
}

/** The command that a user types here to run this program: in a clone or a project, it is known to npx alone. */
export function typedCommand({ env, cwd, platform }: Machine, program: string = ownPath()): string {
  const name = platform === 'win32' ? 'toolwire.cmd' : 'toolwire'
  // npm adds these folders for its scripts; the user's own shell does not search them.
  const folders = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
  if (folders.some((folder) => existsSync(join(folder, name)))) return 'toolwire'
  if (isTemporaryInstall(program)) return 'npx @toolwire/gateway'
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', '.bin', name))) return 'npx toolwire'
    if (folder === dirname(folder)) return `node ${program}`
  }
}

const ownPath = (): string => realpathSync(process.argv[1] ?? '')

/** A path that survives an upgrade of Node, rather than the folder of the current version. */
function nodeOf({ env, platform }: Machine): string {
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = folders.map((folder) => join(folder, name))
  return places.find((place) => realPathOf(place) === realPathOf(process.execPath)) ?? process.execPath
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined // there is no such file
  }
}

/** Is the program in a folder that npx may clear away? */
export const isTemporaryInstall = (program: string): boolean => /[\\/]_npx[\\/]/.test(program)
