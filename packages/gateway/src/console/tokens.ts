// Secrets that are shown once and kept as digests: who reads what is kept cannot show them.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, in 43 letters that may stand in an address, a cookie and a header. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** What is kept of a token: it is random enough for a plain hash. */
export const tokenDigest = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Takes as long whether or not it is, wherever they differ. */
export const isSameToken = (token: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(digest.padEnd(43, '=').slice(0, 43)))
