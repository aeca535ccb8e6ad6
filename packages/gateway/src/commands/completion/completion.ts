import { misused } from '../exit-codes.js'
import type { Run } from '../spec.js'
import { candidates } from './candidates.js'
import { scripts } from './scripts.js'

export const run: Run = async (input, terminal) => {
  const [shell = '', ...words] = input.operands
  if (shell === 'words') {
    for (const candidate of await candidates(words, input)) terminal.print(candidate)
    return undefined
  }
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw misused(`No shell "${shell}" is known; there are ${Object.keys(scripts).join(', ')}`)
  terminal.print(script)
  return undefined
}
