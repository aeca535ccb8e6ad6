import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Machine } from '../../config/index.js'

/** The absolute command of this program, which runs from any folder and with any PATH. */
export function ownProgram(machine: Machine): { readonly command: string; readonly program: string } {
  return { command: nodeOf(machine), program: realpathSync(process.argv[1] ?? '') }
}

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
