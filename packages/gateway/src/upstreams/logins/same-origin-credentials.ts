import type { Credentials } from 'toolwire/client'
import type { Target } from '../../config/gateway-config.js'

/**
 * Servers of the first revision receive messages at a second URL. Their tokens are issued for the configured URL, so that URL is used. spec
 * 2024-11-05, basic/transports#http-with-sse
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
