import { type Run, textOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { deskOf } from './desk.js'

export const run: Run = async (input, terminal) => {
  const server = input.operands[0] ?? ''
  const user = textOf(input, 'user')
  await using desk = await deskOf(input)
  const end = await desk.forget(server, user)
  if (terminal.json) {
    terminal.printJson({ server, ...(user !== undefined && { user }), loggedIn: false, ...end })
    return undefined
  }
  terminal.print(`${user === undefined ? 'The gateway' : visibleLine(user)} is logged out of ${visibleLine(server)}`)
  if (end.note !== undefined) terminal.say(visibleLine(end.note))
  return undefined
}
