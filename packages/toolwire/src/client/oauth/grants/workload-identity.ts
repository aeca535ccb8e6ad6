import type { Credentials } from '../../../peer/client-transport.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { OAuthFailure } from '../oauth-failure.js'
import type { PreRegistered } from '../registration/identify.js'
import { redeemFor, tokenEndpointFor } from './client-credentials.js'
import type { AccessOptions, GrantTarget } from './token-grant.js'

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
  let spurned: string | undefined
  const obtain = async (target: GrantTarget) => {
    const assertion = await options.assertion()
    // What was refused once is refused again: only the platform can help, with another one.
    if (assertion === spurned) throw new OAuthFailure('token_refused', `${target.as.issuer} has already refused this assertion`)
    const at = await tokenEndpointFor(options, target)
    return redeemFor(target, at, jwtBearer, { assertion }).catch((thrown: unknown) => {
      spurned = assertion
      throw thrown
    })
  }
  return oauthCredentials({ unattended: true, obtain }, options, options.issuer)
}
