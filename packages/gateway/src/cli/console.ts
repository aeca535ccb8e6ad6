import { apiClientOf } from './api/api-client.js'
import { CommandError, isOptionOn, type RunCommand } from './command.js'
import { stringIn } from './json-members.js'
import { openConsoleInBrowser } from './open-browser.js'

/** Prints a link for a browser on the machine of the gateway, or opens it there. */
export const run: RunCommand = async (input, terminal) => {
  const made = await apiClientOf(input).request('/console/links', { method: 'POST', body: {} })
  const url = stringIn(made, 'url')
  if (url === undefined)
    throw new CommandError('The gateway returned no link. Check that it has the same version as this program')
  if (terminal.json) return void terminal.printJson(made)
  if (isOptionOn(input, 'open') && (await openConsoleInBrowser(url, input.env)))
    return void terminal.say('The console is open in the browser. If it does not appear, toolwire console prints a link.')
  terminal.print(url)
  terminal.say('It signs in one browser, once, within five minutes.')
}
