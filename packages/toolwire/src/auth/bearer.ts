// The Authorization header of a bearer token, as strictly as it is defined. RFC 6750, section 2.1
import type { Arrival, Denial } from '../transports/http/server/options.js'

const longestToken = 8_192

/** The token; undefined where there is none; or why what is there is none. */
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

/** A token that is ours to judge and does not hold. The description never quotes it. */
export const invalidToken = (description: string): Denial => ({ denied: 'invalid_token', description })
