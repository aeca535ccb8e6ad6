import type { Credentials } from '../../../peer/client-transport.js'
import type { AccessOptions } from '../access-options.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import type { PreRegistered } from '../registration/identify.js'
import { redeem } from '../tokens/token-endpoint.js'
import { memoryTokens } from '../tokens/token-store.js'
import { tokensFrom } from '../tokens/tokens.js'
import { vault } from '../tokens/vault.js'
import { tokenEndpointFor } from './client-credentials.js'
import type { GrantTarget } from './token-grant.js'

/** A workload that its platform vouches for. */
export type WorkloadIdentityOptions = AccessOptions &
  PreRegistered & {
    /** The JWT that the platform gives to the workload; called each time that one is needed. */
    assertion: () => Promise<string> | string
  }

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/**
 * Access for a workload that its platform has given a JWT: the JWT bearer grant (RFC 7523).
 *
 * @example
 * ```ts
 * const credentials = workloadIdentity({ clientId: 'nightly', assertion: async () => process.env.TOKEN ?? '' })
 * ```
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Credentials {
  const kept = vault(options.store ?? memoryTokens())
  return oauthCredentials({ grant: workloadGrant(options), vault: kept, options, issuer: options.issuer })
}

function workloadGrant(options: WorkloadIdentityOptions) {
  let spurned: string | undefined
  return {
    unattended: true,
    async obtain(target: GrantTarget) {
      const { resource, scopes } = target
      const assertion = await options.assertion()
      // What was refused once is refused again: only the platform can help, with another one.
      if (assertion === spurned) throw new OAuthFailure('token_refused', `${target.as.issuer} has already refused this assertion`)
      const parameters = { assertion, resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) }
      const answer = await redeem(await tokenEndpointFor(options, target), jwtBearer, parameters).catch((thrown: unknown) => {
        spurned = assertion
        throw thrown
      })
      return tokensFrom(answer, scopes)
    },
  }
}
