// A login at an upstream server: the browser leaves for the server's login page, and returns with an address that completes the login.
import { pathSegment, postJson } from './api.js'
import type { LoginPage } from './types.js'

/** The redirect path after a login; the gateway serves this page there too. */
const returnPath = '/logged-in'
const kept = 'toolwire-login'

export const beginLogin = (server: string): Promise<LoginPage> =>
  postJson(`/servers/${pathSegment(server)}/logins`, { redirectUri: `${location.origin}${returnPath}` })

export function goToLogin({ login, server, page }: LoginPage): void {
  const url = new URL(page)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('The login page is not a web address')
  // In this tab only, because a redirect into another tab does not belong to this login.
  sessionStorage.setItem(kept, JSON.stringify({ login, server, state: url.searchParams.get('state') }))
  location.assign(url)
}

/** Completes a login after its redirect and returns the server. Throws if the login was not started in this tab. */
export async function loginFromAddress(): Promise<string | undefined> {
  if (location.pathname !== returnPath) return undefined
  const { href } = location
  // Removes the query from the address, because it may hold a code.
  history.replaceState(null, '', '/#/setup')
  const begun = JSON.parse(sessionStorage.getItem(kept) ?? '{}') as { login?: string; server?: string; state?: string }
  sessionStorage.removeItem(kept)
  if (!begun.login || begun.state !== new URL(href).searchParams.get('state'))
    throw new Error('This login was started in another tab. Start a new one.')
  await postJson(`/logins/${pathSegment(begun.login)}`, { address: href })
  return begun.server
}
