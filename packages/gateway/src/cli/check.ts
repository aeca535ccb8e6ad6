import { runCheckProgram } from '@toolwire/check'
import { interruptedError, type RunCommand } from './command.js'

/** The checker parses its own arguments, because its target may be a program with options. */
export const run: RunCommand = async ({ operands, env, signal }) => {
  const code = await runCheckProgram(operands.slice(1), { name: 'toolwire check', env, signal })
  if (signal.aborted) throw interruptedError()
  return code
}
