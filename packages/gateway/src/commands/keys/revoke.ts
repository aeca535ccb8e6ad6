import type { Run } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { keysDeskOf } from './keys-desk.js'

export const run: Run = async (input, terminal) => {
  const id = input.operands[0] ?? ''
  await using desk = await keysDeskOf(input)
  await desk.revoke(id)
  if (terminal.json) terminal.printJson({ id, revoked: true })
  else terminal.print(`The key ${visibleLine(id)} is refused from now on`)
  return undefined
}
