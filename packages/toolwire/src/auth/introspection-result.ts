import type { JsonObject } from '../json.js'
import { isMoment } from '../tools/checks/option-values.js'
import type { AuthenticationResult } from '../transports/http/server/options.js'
import { invalidToken } from './bearer.js'
import { type Audience, callerOf, isSenderConstrained, wrongAudience } from './claims.js'

export type IntrospectionResult = {
  readonly isActive: boolean
  readonly outcome: AuthenticationResult
  readonly expiresAt?: number
}
type Expected = { readonly issuer: string; readonly audience: Audience; readonly now: number }

/** Longest scopes of a token, in characters together. Answers may be large, and the scopes of many tokens are cached. */
const longestScopes = 8_192

/** Accepts a token that is active, for our audience, from the expected issuer, and valid now. */
export function readIntrospection(answer: JsonObject, { issuer, audience, now }: Expected): IntrospectionResult {
  if (answer.active !== true) return rejectedToken('The token is invalid')
  const wrong = wrongAudience(answer.aud, audience)
  if (wrong !== undefined) return rejectedToken(wrong)
  if (answer.iss !== undefined && answer.iss !== issuer) return rejectedToken('The token is from another issuer')
  if (isSenderConstrained(answer) || !isBearer(answer.token_type))
    return rejectedToken('The token is bound to a key, so it is not a bearer token')
  if (!isMomentIfAny(answer.nbf) || !isMomentIfAny(answer.exp)) return rejectedToken('The token is invalid')
  if (answer.nbf !== undefined && answer.nbf * 1_000 > now) return rejectedToken('The token is not valid yet')
  const expiresAt = answer.exp === undefined ? undefined : answer.exp * 1_000
  if (expiresAt !== undefined && expiresAt <= now) return rejectedToken('The token has expired')
  const caller = callerOf(issuer, answer, expiresAt)
  if (!caller) return rejectedToken('The token names no subject')
  const scopesLength = caller.scopes.reduce((length, scope) => length + scope.length, 0)
  if (scopesLength > longestScopes) return rejectedToken(`The scopes of the token are longer than ${longestScopes} characters`)
  return { isActive: true, outcome: caller, ...(expiresAt !== undefined && { expiresAt }) }
}

const rejectedToken = (description: string): IntrospectionResult => ({ isActive: false, outcome: invalidToken(description) })
/** RFC 7662 takes `token_type` from RFC 6749, but some servers write other values, so only types that need a proof are refused. */
const isBearer = (type: unknown): boolean => typeof type !== 'string' || !/^(dpop|pop|mac|n_a)$/i.test(type)
const isMomentIfAny = (value: unknown): value is number | undefined => value === undefined || isMoment(value)
