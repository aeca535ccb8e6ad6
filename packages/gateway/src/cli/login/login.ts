import type { JsonObject } from 'toolwire'
import { optionText, optionTexts, type RunCommand } from '../command.js'
import { listIn, numberIn, objectIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJson, visibleTextLine } from '../terminal/visible-text.js'
import { awaitBrowserReturn, redirectUriFor } from './browser-return.js'
import { loginManagerFor } from './login-manager.js'

export const run: RunCommand = async (input, terminal) => {
  const [server] = input.operands
  await using manager = await loginManagerFor(input)
  if (server === undefined) {
    showAll(await manager.list(), terminal)
    for (const line of manager.waiting ?? []) terminal.say(visibleTextLine(line))
    return
  }
  const user = optionText(input, 'user')
  const who = user === undefined ? {} : { user }
  const redirectUri = await redirectUriFor(input)
  const begun = await manager.begin({ server, redirectUri, scopes: optionTexts(input, 'scope'), ...who })
  await manager.finish(begun.login, await awaitBrowserReturn(begun, input, terminal))
  const { issuer, scopes } = begun
  if (terminal.json) terminal.print(visibleJson({ server, ...who, loggedIn: true, issuer, scopes }, 0))
  else terminal.print(`${user === undefined ? 'The gateway' : visibleTextLine(user)} is logged in to ${visibleTextLine(server)}`)
}

function showAll(logins: readonly JsonObject[], terminal: Terminal): void {
  if (terminal.json) terminal.printJson({ logins })
  else if (logins.length === 0) terminal.say('No server needs a login. Servers with "auth": "oauth" in the config need one')
  else terminal.print(table(['SERVER', 'LOGIN', 'SINCE', 'AT'], logins.flatMap(rows), terminal))
}

/** One row for the gateway itself, and one for each caller. */
function rows(one: JsonObject): string[][] {
  const server = stringIn(one, 'server') ?? '?'
  const row = (who: string, login: JsonObject) => {
    const since = numberIn(login, 'since')
    return [server, who, since === undefined ? '' : formatTime(since), stringIn(login, 'issuer') ?? '']
  }
  const own = one.loggedIn === true ? row('of the gateway', objectIn(one, 'login')) : row(`none: toolwire login ${server}`, {})
  return [own, ...listIn(one, 'users').map((login) => row(`of ${stringIn(login, 'user') ?? '?'}`, login))]
}
