import { type RunCommand, usageProblem } from '../command.js'
import { candidates } from './candidates.js'
import { shellScripts } from './shell-scripts.js'

export const run: RunCommand = async (input, terminal) => {
  const [shell = '', ...words] = input.operands
  if (shell === 'words') {
    for (const candidate of await candidates(words, input)) terminal.print(candidate)
    return undefined
  }
  const script = Object.hasOwn(shellScripts, shell) ? shellScripts[shell] : undefined
  if (script === undefined)
    throw usageProblem(`The shell "${shell}" is not supported. Supported shells: ${Object.keys(shellScripts).join(', ')}`)
  terminal.print(script)
}
