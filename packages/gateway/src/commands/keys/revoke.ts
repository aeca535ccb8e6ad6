import { apiOf } from '../api/api.js'
import type { Run } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'

export const run: Run = async (input, terminal) => {
  const id = input.operands[0] ?? ''
  await apiOf(input).ask(`/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })
  if (terminal.json) terminal.printJson({ id, revoked: true })
  else terminal.print(`The key ${visibleLine(id)} is refused from now on`)
  return undefined
}
