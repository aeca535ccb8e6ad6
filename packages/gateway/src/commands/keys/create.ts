import { Trouble } from '../exit-codes.js'
import { wordIn } from '../json.js'
import { durationOf } from '../output/moment.js'
import { type Run, textOf, textsOf } from '../spec.js'
import { keysDeskOf } from './keys-desk.js'

export const run: Run = async (input, terminal) => {
  const [caller] = input.operands
  const length = textOf(input, 'for')
  const wish = {
    scopes: [...textsOf(input, 'scope')],
    ...(caller !== undefined && { caller }),
    ...(length !== undefined && { expiresAt: Date.now() + durationOf(length, '--for') }),
  }
  await using desk = await keysDeskOf(input)
  const made = await desk.create(wish)
  const key = wordIn(made, 'key')
  if (key === undefined) throw new Trouble('The gateway made no key; is it of the same version as this program?')
  if (terminal.json) return void terminal.printJson(made)
  terminal.print(key)
  terminal.say('Keep it where nobody else reads it: it is not shown again. Callers send it as "Authorization: Bearer <key>".')
  return undefined
}
