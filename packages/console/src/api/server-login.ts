// A login to a server: the person leaves this page for the one of the server, and comes back with an address that ends it.
import { pathSegment, postJson } from './api.js'
import type { LoginPage } from './types.js'

/** Where a browser comes back to: the gateway serves this page there, too. */
const returnPath = '/logged-in'
const kept = 'toolwire-login'

export const beginLogin = (server: string): Promise<LoginPage> =>
  postJson(`/servers/${pathSegment(server)}/logins`, { redirectUri: `${location.origin}${returnPath}` })

export function goToLogin({ login, server, page }: LoginPage): void {
  const url = new URL(page)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('The login page is not a web address')
  // Of this tab alone: what comes back anywhere else was not begun here.
  sessionStorage.setItem(kept, JSON.stringify({ login, server, state: url.searchParams.get('state') }))
  location.assign(url)
}

/** Ends a login where this tab comes back from one; tells the server, or throws where it was not begun here. */
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
