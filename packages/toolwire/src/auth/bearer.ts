// Strict reading of bearer tokens in the Authorization header. RFC 6750, section 2.1
import type { Arrival, Denial } from '../transports/http/server/options.js'

const longestToken = 8_192

/** Returns the token, undefined if there is none, or a denial if it is malformed. */
export function bearerToken({ header }: Arrival): string | Denial | undefined {
  const shown = header('authorization')
  if (shown === undefined) return undefined
  const [scheme = '', token = '', ...rest] = shown.trim().split(' ')
  if (scheme.toLowerCase() !== 'bearer') return undefined
  if (token.length > longestToken) return invalidToken(`The token is longer than ${longestToken} characters`)
  if (rest.length > 0 || !/^[\w.~+/-]+=*$/.test(token))
    return { denied: 'invalid_request', description: 'The Authorization header is malformed: one scheme, one space, one token' }
  return token
}

/** Denies a token of a kind that is checked here. The description never quotes the token. */
export const invalidToken = (description: string): Denial => ({ denied: 'invalid_token', description })
