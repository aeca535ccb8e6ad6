import type { JsonObject } from 'toolwire'
import { listIn, numberIn, objectIn, wordIn } from '../json.js'
import { timeOf } from '../output/moment.js'
import { table } from '../output/table.js'
import { type Input, type Run, textOf, textsOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { jsonLine } from '../terminal/json-text.js'
import type { Terminal } from '../terminal/terminal.js'
import { comeBack, redirectUriFor } from './browser.js'
import { type Desk, deskOf } from './desk.js'

export const run: Run = async (input, terminal) => {
  const [server] = input.operands
  await using desk = await deskOf(input)
  if (server === undefined) {
    showAll(await desk.list(), terminal)
    for (const line of desk.waiting ?? []) terminal.say(visibleLine(line))
    return undefined
  }
  await logIn(server, desk, { input, terminal })
  return undefined
}

type Here = { readonly input: Input; readonly terminal: Terminal }

async function logIn(server: string, desk: Desk, { input, terminal }: Here): Promise<void> {
  const user = textOf(input, 'user')
  const redirectUri = await redirectUriFor(input)
  const begun = await desk.begin({ server, redirectUri, scopes: textsOf(input, 'scope'), ...(user !== undefined && { user }) })
  await desk.finish(begun.login, await comeBack(begun, input, terminal))
  const { issuer, scopes } = begun
  if (terminal.json)
    terminal.print(jsonLine({ server, ...(user !== undefined && { user }), loggedIn: true, issuer, scopes: [...scopes] }))
  else terminal.print(`${user === undefined ? 'The gateway' : visibleLine(user)} is logged in to ${visibleLine(server)}`)
}

function showAll(logins: readonly JsonObject[], terminal: Terminal): void {
  if (terminal.json) terminal.printJson({ logins })
  else if (logins.length === 0)
    terminal.say('Nobody has to log in anywhere; servers that want it have "auth": "oauth" in the config')
  else terminal.print(table(['SERVER', 'LOGIN', 'SINCE', 'AT'], logins.flatMap(rows), terminal))
}

/** One for the gateway itself, and one for each caller. */
function rows(one: JsonObject): string[][] {
  const server = wordIn(one, 'server') ?? '?'
  const row = (who: string, login: JsonObject) => {
    const since = numberIn(login, 'since')
    return [server, who, since === undefined ? '' : timeOf(since), wordIn(login, 'issuer') ?? '']
  }
  const own = one.loggedIn === true ? row('of the gateway', objectIn(one, 'login')) : row(`none: toolwire login ${server}`, {})
  return [own, ...listIn(one, 'users').map((login) => row(`of ${wordIn(login, 'user') ?? '?'}`, login))]
}
