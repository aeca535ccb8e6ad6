import type { Credentials } from '../../../peer/client-transport.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { someFunction } from '../../../tools/checks/option-values.js'
import { oauthCredentials } from '../oauth-credentials.js'
import { isRefusedToken, OAuthFailure } from '../oauth-failure.js'
import { type PreRegistered, preRegisteredValues } from '../registration/identify.js'
import { redeemFor, tokenEndpointFor } from './client-credentials.js'
import { type AccessOptions, accessValues, type GrantTarget } from './token-grant.js'

/** Options for a workload that its platform vouches for with a JWT. */
export type WorkloadIdentityOptions = AccessOptions &
  PreRegistered & {
    /** The JWT that the platform gives to the workload; called each time that one is needed. */
    assertion: () => Promise<string> | string
  }

const known = optionsOf<WorkloadIdentityOptions>()(accessValues, preRegisteredValues, { assertion: someFunction })

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Refusals of the assertion itself, and not of scopes or a resource that an MCP server has named. */
const assertionRefusals = ['invalid_grant', 'invalid_client', 'invalid_request']

/**
 * Credentials for a workload with a JWT from its platform, by the JWT bearer grant (RFC 7523).
 *
 * @example
 * ```ts
 * const credentials = workloadIdentity({ clientId: 'nightly', assertion: async () => process.env.TOKEN ?? '' })
 * ```
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Credentials {
  checkOptions('workloadIdentity()', options, known)
  let refusedAssertion: string | undefined
  const obtain = async (target: GrantTarget) => {
    const assertion = await options.assertion()
    // A refused assertion would be refused again, so the platform has to give another one.
    if (assertion === refusedAssertion)
      throw new OAuthFailure('token_refused', `${target.as.issuer} has already refused this assertion`)
    const at = await tokenEndpointFor(options, target)
    return redeemFor(target, at, jwtBearer, { assertion }).catch((thrown: unknown) => {
      if (isRefusedToken(thrown, assertionRefusals)) refusedAssertion = assertion
      throw thrown
    })
  }
  return oauthCredentials({ client: options, unattended: true, obtain }, options)
}
