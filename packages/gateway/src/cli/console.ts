import { apiClientOf } from './api/api-client.js'
import { CommandError } from './command-error.js'
import { isOptionOn, type RunCommand } from './command-spec.js'
import { stringIn } from './json-members.js'
import { openConsoleInBrowser } from './open-browser.js'

/** Prints a link for a browser on the machine of the gateway, or opens it there. */
export const run: RunCommand = async (input, terminal) => {
  const made = await apiClientOf(input).request('/console/links', { method: 'POST', body: {} })
  const url = stringIn(made, 'url')
  if (url === undefined) throw new CommandError('The gateway made no link; is it of the same version as this program?')
  if (terminal.json) return void terminal.printJson(made)
  if (isOptionOn(input, 'open') && (await openConsoleInBrowser(url, input.env)))
    return void terminal.say(
      'The console is open in the browser. If nothing is to be seen there: toolwire console prints a link.',
    )
  terminal.print(url)
  terminal.say('It lets one browser in, once, within five minutes.')
  return undefined
}
