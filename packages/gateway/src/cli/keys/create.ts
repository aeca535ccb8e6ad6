import { CommandError, optionText, optionTexts, type RunCommand } from '../command.js'
import { stringIn } from '../json-members.js'
import { parseDuration } from '../output/time.js'
import { keyManagerFor } from './key-manager.js'

export const run: RunCommand = async (input, terminal) => {
  const [caller] = input.operands
  const length = optionText(input, 'for')
  const wish = {
    scopes: [...optionTexts(input, 'scope')],
    ...(caller !== undefined && { caller }),
    ...(length !== undefined && { expiresAt: Date.now() + parseDuration(length, '--for') }),
  }
  await using desk = await keyManagerFor(input)
  const made = await desk.create(wish)
  const key = stringIn(made, 'key')
  if (key === undefined) throw new CommandError('The gateway returned no key. Check that it has the same version as this program')
  if (terminal.json) return void terminal.printJson(made)
  terminal.print(key)
  terminal.say('Store the key safely, because it is not shown again. Callers send it as "Authorization: Bearer <key>".')
}
