import { OAuthFailure } from '../oauth-failure.js'
import { type AddressKind, addressKindOf } from './addresses.js'

/** The addresses that a server may send us to: public ones, those of the private network too, or this machine too. */
export type Reach = 'public' | 'private' | 'loopback'

const width: Record<AddressKind, number> = { public: 0, private: 1, loopback: 2, forbidden: 3 }

export const permits = (reach: Reach, kind: AddressKind): boolean => width[kind] <= width[reach]

/** The reach that the server's own URL allows. Host names are not resolved, because their owners can change the result. */
export function reachOf(server: string | URL): Reach {
  const kind = kindOfHost(new URL(server).hostname)
  return kind === 'private' || kind === 'loopback' ? kind : 'public'
}

export const isLoopback = (url: URL): boolean => kindOfHost(url.hostname) === 'loopback'

/** https anywhere, http on this machine only. 2026-07-28/basic/authorization/security-considerations#communication-security */
export const isSecure = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))

/** Parses an untrusted address, and throws if it must not be called. */
export function checkedUrl(text: string, reach: Reach, what: string): URL {
  if (!URL.canParse(text)) throw new OAuthFailure('bad_answer', `The ${what} is not a URL`)
  const url = new URL(text)
  if (!isSecure(url)) throw new OAuthFailure('forbidden_address', `The ${what} must be https: ${url.protocol}//${url.host}`)
  const kind = kindOfHost(url.hostname)
  if (kind && !permits(reach, kind)) throw forbiddenAddress(what, url.host)
  return url
}

export const forbiddenAddress = (what: string, host: string): OAuthFailure =>
  new OAuthFailure('forbidden_address', `The ${what} is at ${host}, a non-public address that this server may not refer to`)

function kindOfHost(hostname: string): AddressKind | undefined {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return addressKindOf(name)
}
