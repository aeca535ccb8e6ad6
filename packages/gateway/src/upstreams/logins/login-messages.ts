// Messages for missing or insufficient logins; each names the command to run.

import { shellWord } from '../../config/trust/trust-messages.js'

/** The owner of a login: a user, or the gateway itself if no user is named. */
export type LoginOwner = { readonly server: string; readonly user?: string | undefined }

function loginCommand({ server, user }: LoginOwner, scopes: readonly string[] = []): string {
  const options = [...(user === undefined ? [] : ['--user', user]), ...scopes.flatMap((scope) => ['--scope', scope])]
  return ['toolwire login', server, ...options.map(shellWord)].join(' ')
}

export const notLoggedIn = (whose: LoginOwner): string =>
  `${whose.user === undefined ? `${whose.server} needs a login` : `${whose.user} has not logged in to ${whose.server}`}: ${loginCommand(whose)}`

export const loginRejected = (whose: LoginOwner): string =>
  `${whose.server} no longer accepts the login${whose.user === undefined ? '' : ` of ${whose.user}`}. Log in again: ${loginCommand(whose)}`

const mostScopes = 20

/** The scopes come from the server, so they are filtered. */
export function moreScopesNeeded(whose: LoginOwner, scopes: readonly string[]): string {
  const known = scopes.filter((scope) => /^[!#-[\]-~]{1,100}$/.test(scope)).slice(0, mostScopes)
  return `${whose.server} requires scopes that the login does not have. Log in again: ${loginCommand(whose, known)}`
}
