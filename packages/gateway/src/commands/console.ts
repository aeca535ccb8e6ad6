import { apiOf } from './api/api.js'
import { Trouble } from './exit-codes.js'
import { wordIn } from './json.js'
import { openedConsole } from './opened.js'
import { isOn, type Run } from './spec.js'

/** Prints a link for a browser on the machine of the gateway, or opens it there. */
export const run: Run = async (input, terminal) => {
  const made = await apiOf(input).ask('/console/links', { method: 'POST', body: {} })
  const url = wordIn(made, 'url')
  if (url === undefined) throw new Trouble('The gateway made no link; is it of the same version as this program?')
  if (terminal.json) return void terminal.printJson(made)
  if (isOn(input, 'open') && (await openedConsole(url, input.env)))
    return void terminal.say(
      'The console is open in the browser. If nothing is to be seen there: toolwire console prints a link.',
    )
  terminal.print(url)
  terminal.say('It lets one browser in, once, within five minutes.')
  return undefined
}
