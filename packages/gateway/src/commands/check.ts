import { Command, CommanderError } from 'commander'
import { checkCommand } from '../check/index.js'
import { exitCodes } from './exit-codes.js'
import type { Run } from './spec.js'

/** It reads its words itself: what it checks may be a program with options of its own. */
export const run: Run = async ({ operands }) => {
  let code: number = exitCodes.ok
  const program = new Command('toolwire')
  checkCommand(program, (given) => {
    code = given
  })
  try {
    await program.parseAsync([...operands], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
  }
  return code
}
