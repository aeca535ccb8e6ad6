import { createHash } from 'node:crypto'
import type { types } from 'toolwire/relay'

/**
 * Stands for the caller of a request that is not authenticated yet: a digest of its key or token, which is read as the authenticators do, or
 * else of its address.
 */
export function senderOf({ header, remote }: Pick<types.ForwardedRequest['exchange'], 'header' | 'remote'>): string | undefined {
  const token = /^bearer +(\S+)/i.exec(header('authorization')?.trim() ?? '')?.[1]
  const sender = token ?? header('x-api-key')?.trim() ?? remote
  return sender && createHash('sha256').update(sender).digest('base64url')
}
