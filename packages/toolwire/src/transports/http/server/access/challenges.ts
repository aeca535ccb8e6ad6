// The refusals of callers: RFC 6750, section 3, with the parameter of RFC 9728, section 5.1.
// spec 2026-07-28, basic/authorization#error-handling

import { type HttpRefusal, retryAfterHeader } from '../http-refusal.js'
import type { Denial, HttpOptions } from '../options.js'
import type { ProtectedResource } from './protected-resource.js'

const statuses = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403, temporarily_unavailable: 503 } as const

export function challengesOf({ challenge = 'Bearer' }: HttpOptions, resource: ProtectedResource | undefined) {
  const header = (parameters: Readonly<Record<string, string>>): string => {
    if (!resource) return challenge
    const said = Object.entries({ resource_metadata: resource.metadataUrl, ...parameters })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}="${value.replaceAll(/[^ !#-[\]-~]/g, '')}"`)
    return `Bearer ${said.join(', ')}`
  }
  const turnedAway = (status: number, message: string, parameters: Readonly<Record<string, string>>): HttpRefusal => {
    const scope = scopeText(resource?.scopes ?? [])
    return { status, message, headers: { 'www-authenticate': header({ scope, ...parameters }) } }
  }
  return {
    /** Without credentials in the request, the challenge names no error. */
    missing: () => turnedAway(401, 'Credentials are missing', {}),
    denied({ denied, description, scopes, retryAfterMs = 5_000 }: Denial): HttpRefusal {
      const status = statuses[denied]
      if (status === 503) return { status, message: description, headers: retryAfterHeader(retryAfterMs) }
      const scope = scopes && { scope: scopeText(scopes) }
      return turnedAway(status, description, { ...scope, error: denied, error_description: description })
    },
    /** The header alone; undefined without `resource`, because clients could not get more scopes. */
    forScopes: resource && ((scopes: readonly string[]) => header({ scope: scopeText(scopes), error: 'insufficient_scope' })),
  }
}

/**
 * Keeps scopes that a header may hold, and drops `offline_access`, which only clients request.
 * spec 2026-07-28, basic/authorization#refresh-tokens
 */
const scopeText = (scopes: readonly string[]): string => requestableScopes(scopes).join(' ')

export const requestableScopes = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => scope !== 'offline_access' && /^[!#-[\]-~]+$/.test(scope))
