import { isLoopback, isSecure } from '../egress/reach.js'
import { OAuthFailure } from '../oauth-failure.js'

/** Redirects go to https, or to this machine. 2026-07-28/basic/authorization/security-considerations#communication-security */
export function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && isSecure(url) && url.hash === '') return
  throw new OAuthFailure('bad_options', 'redirectUri has to be an https URL, or http on a loopback address, without a fragment')
}

/** Redirects to this machine are those of a native application, all others those of a web application. */
export const isNative = (redirectUri: string): boolean => isLoopback(new URL(redirectUri))
