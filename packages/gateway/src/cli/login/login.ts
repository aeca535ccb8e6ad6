import type { JsonObject } from 'toolwire'
import { type CommandInput, optionText, optionTexts, type RunCommand } from '../command.js'
import { listIn, numberIn, objectIn, stringIn } from '../json-members.js'
import { table } from '../output/table.js'
import { formatTime } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJsonLine, visibleTextLine } from '../terminal/visible-text.js'
import { awaitBrowserReturn, redirectUriFor } from './browser-return.js'
import { type LoginManager, loginManagerFor } from './login-manager.js'

export const run: RunCommand = async (input, terminal) => {
  const [server] = input.operands
  await using loginManager = await loginManagerFor(input)
  if (server === undefined) {
    showAll(await loginManager.list(), terminal)
    for (const line of loginManager.waiting ?? []) terminal.say(visibleTextLine(line))
    return undefined
  }
  await logIn(server, loginManager, { input, terminal })
}

type Here = { readonly input: CommandInput; readonly terminal: Terminal }

async function logIn(server: string, loginManager: LoginManager, { input, terminal }: Here): Promise<void> {
  const user = optionText(input, 'user')
  const redirectUri = await redirectUriFor(input)
  const begun = await loginManager.begin({
    server,
    redirectUri,
    scopes: optionTexts(input, 'scope'),
    ...(user !== undefined && { user }),
  })
  await loginManager.finish(begun.login, await awaitBrowserReturn(begun, input, terminal))
  const { issuer, scopes } = begun
  if (terminal.json)
    terminal.print(visibleJsonLine({ server, ...(user !== undefined && { user }), loggedIn: true, issuer, scopes: [...scopes] }))
  else terminal.print(`${user === undefined ? 'The gateway' : visibleTextLine(user)} is logged in to ${visibleTextLine(server)}`)
}

function showAll(logins: readonly JsonObject[], terminal: Terminal): void {
  if (terminal.json) terminal.printJson({ logins })
  else if (logins.length === 0) terminal.say('No server needs a login. Servers with "auth": "oauth" in the config do')
  else terminal.print(table(['SERVER', 'LOGIN', 'SINCE', 'AT'], logins.flatMap(rows), terminal))
}

/** One for the gateway itself, and one for each caller. */
function rows(one: JsonObject): string[][] {
  const server = stringIn(one, 'server') ?? '?'
  const row = (who: string, login: JsonObject) => {
    const since = numberIn(login, 'since')
    return [server, who, since === undefined ? '' : formatTime(since), stringIn(login, 'issuer') ?? '']
  }
  const own = one.loggedIn === true ? row('of the gateway', objectIn(one, 'login')) : row(`none: toolwire login ${server}`, {})
  return [own, ...listIn(one, 'users').map((login) => row(`of ${stringIn(login, 'user') ?? '?'}`, login))]
}
