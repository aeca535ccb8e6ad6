import type { Credentials } from 'toolwire/client'
import type { Target } from '../../config/gateway-config.js'

/**
 * The first revision's servers take messages at another address than the one that they are known by: their tokens are for that one.
 * spec 2024-11-05, basic/transports#http-with-sse
 */
export function sameOriginCredentials(credentials: Credentials, target: Target): Credentials {
  if (target.kind !== 'sse') return credentials
  const { origin, href } = new URL(target.url)
  const placed = <T extends { readonly url: string }>(about: T): T =>
    new URL(about.url).origin === origin ? { ...about, url: href } : about
  return {
    headers: (request) => credentials.headers(placed(request)),
    refused: (challenge) => credentials.refused(placed(challenge)),
    answered: (answer) => credentials.answered?.(placed(answer)),
  }
}
