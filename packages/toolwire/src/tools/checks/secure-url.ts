import { definitionError } from './definition-error.js'

/** Host names of this machine in URLs. */
export const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Accepts https for any host, and http for this machine only.
 * spec 2026-07-28, basic/authorization/security-considerations#communication-security
 */
export function secureUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname))) return url
  throw definitionError(`${what} has to be an https URL (http is for this machine only): "${text.slice(0, 200)}"`)
}
