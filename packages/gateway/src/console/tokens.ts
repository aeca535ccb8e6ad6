// Secrets that are shown once and stored as digests, so that the stored data cannot be used to sign in.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as 43 characters that are safe in URLs, cookies and headers. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** The stored digest of a token, which is random enough for a plain hash. */
export const tokenDigest = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Compares a token with a digest in constant time. */
export const isSameToken = (token: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(digest.padEnd(43, '=').slice(0, 43)))
