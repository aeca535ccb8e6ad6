// The cookie of a session. Cookies are for a host and not for a port, so its name says which gateway it is for.
// https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
import type { IncomingMessage } from 'node:http'

const kept = 'Path=/; Secure; HttpOnly; SameSite=Strict'

const nameOf = (port: number): string => `__Host-toolwire-${port}`

/** Gone when the browser is closed. */
export const sessionCookie = (port: number, value: string): string => `${nameOf(port)}=${value}; ${kept}`

export const clearedCookie = (port: number): string => `${nameOf(port)}=; Max-Age=0; ${kept}`

/** Empty where there is none. */
export function readSessionCookie({ headers }: IncomingMessage, port: number): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const name = `${nameOf(port)}=`
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? ''
}
