import { optionText, type RunCommand } from '../command.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { loginManagerFor } from './login-manager.js'

export const run: RunCommand = async (input, terminal) => {
  const server = input.operands[0] ?? ''
  const user = optionText(input, 'user')
  await using loginManager = await loginManagerFor(input)
  const end = await loginManager.forget(server, user)
  if (terminal.json) return void terminal.printJson({ server, user, loggedIn: false, ...end })
  terminal.print(`${user === undefined ? 'The gateway' : visibleTextLine(user)} is logged out of ${visibleTextLine(server)}`)
  if (end.note !== undefined) terminal.say(visibleTextLine(end.note))
}
