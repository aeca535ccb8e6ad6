// What a client that is turned away is told: RFC 6750, section 3, with the parameter of RFC 9728, section 5.1.
// spec 2026-07-28, basic/authorization#error-handling

import { type HttpRefusal, retryAfterHeader } from '../http-refusal.js'
import type { Denial, HttpOptions } from '../options.js'
import type { ProtectedResource } from './protected-resource.js'

const statuses = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403, temporarily_unavailable: 503 } as const

export class Challenges {
  readonly #plain: string
  readonly #resource: ProtectedResource | undefined

  constructor({ challenge = 'Bearer' }: HttpOptions, resource: ProtectedResource | undefined) {
    this.#plain = challenge
    this.#resource = resource
  }

  /** Nothing was shown, so there is no error to name. */
  get missing(): HttpRefusal {
    return turnedAway(401, 'Credentials are missing', this.#header({ scope: this.#firstScopes }))
  }

  denied({ denied, description, scopes, retryAfterMs = 5_000 }: Denial): HttpRefusal {
    const status = statuses[denied]
    if (status === 503) return { status, message: description, headers: retryAfterHeader(retryAfterMs) }
    const scope = scopes ? scopeText(scopes) : this.#firstScopes
    return turnedAway(status, description, this.#header({ scope, error: denied, error_description: description }))
  }

  /** The header alone; undefined where nobody could say where to get more scopes. */
  get forScopes(): ((scopes: readonly string[]) => string) | undefined {
    if (!this.#resource) return undefined
    return (scopes) => this.#header({ scope: scopeText(scopes), error: 'insufficient_scope' })
  }

  get #firstScopes(): string {
    return scopeText(this.#resource?.scopes ?? [])
  }

  #header(parameters: Readonly<Record<string, string>>): string {
    if (!this.#resource) return this.#plain
    const all = Object.entries({ resource_metadata: this.#resource.metadataUrl, ...parameters })
    const said = all
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}="${value.replaceAll(/[^ !#-[\]-~]/g, '')}"`)
    return `Bearer ${said.join(', ')}`
  }
}

const turnedAway = (status: number, message: string, header: string): HttpRefusal => ({
  status,
  message,
  headers: { 'www-authenticate': header },
})

/** Only what can stand in a header, and never what is for clients alone to want. spec 2026-07-28, basic/authorization#refresh-tokens */
export const scopeText = (scopes: readonly string[]): string => requestableScopes(scopes).join(' ')

export const requestableScopes = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => scope !== 'offline_access' && /^[!#-[\]-~]+$/.test(scope))
