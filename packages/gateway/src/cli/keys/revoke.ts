import type { RunCommand } from '../command.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { keyManagerFor } from './key-manager.js'

export const run: RunCommand = async (input, terminal) => {
  const id = input.operands[0] ?? ''
  await using desk = await keyManagerFor(input)
  await desk.revoke(id)
  if (terminal.json) terminal.printJson({ id, revoked: true })
  else terminal.print(`Revoked the key ${visibleTextLine(id)}`)
}
