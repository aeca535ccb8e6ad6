// Authenticates replicas to each other: each request carries its sender, receiver, time and digest under a key that only replicas have. The
// time is by the receiver's clock, because the clocks of two machines may differ by hours.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The parts of a request outside its header. */
export type Envelope = { readonly method: string; readonly path: string; readonly to: string }
/** The start of a replica, and the time by its own clock. */
export type ReplicaClock = { readonly start: string; readonly now: number }

type Stamp = ReplicaClock & { readonly from: string; readonly nonce: string; readonly digest: string }

const version = 'v1'
const requestPattern = /^v1\.([\w-]{1,64})\.([\w-]{1,32})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/
const clockPattern = /^v1\.([\w-]{1,32})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/

export const newNonce = (): string => randomBytes(16).toString('base64url')
export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url')

/** Creates the header of a request. */
export function sealRequest(key: Uint8Array, envelope: Envelope, { from, start, now, nonce, digest }: Stamp): string {
  const parts = [version, from, start, String(now), nonce, digest]
  return [...parts, macOf(key, ['request', ...envelopeParts(envelope), ...parts])].join('.')
}

/** The verified stamp of a request; undefined if its MAC is not valid. */
export function openRequest(key: Uint8Array, envelope: Envelope, header: string | undefined): Stamp | undefined {
  const [, from = '', start = '', now = '', nonce = '', digest = '', mac = ''] = requestPattern.exec(header ?? '') ?? []
  const parts = [version, from, start, now, nonce, digest]
  if (!isSame(mac, macOf(key, ['request', ...envelopeParts(envelope), ...parts]))) return undefined
  return { from, start, now: Number(now), nonce, digest }
}

/** Creates a replica's statement of its clock, for the request with this nonce. */
export function sealClock(key: Uint8Array, { start, now }: ReplicaClock, nonce: string): string {
  const parts = [version, start, String(now), nonce]
  return [...parts, macOf(key, ['clock', ...parts])].join('.')
}

export function openClock(key: Uint8Array, header: string | undefined, expected: string): ReplicaClock | undefined {
  const [, start = '', now = '', nonce = '', mac = ''] = clockPattern.exec(header ?? '') ?? []
  if (nonce !== expected || !isSame(mac, macOf(key, ['clock', version, start, now, nonce]))) return undefined
  return { start, now: Number(now) }
}

const envelopeParts = ({ method, path, to }: Envelope): string[] => [method, path, to]

/** No part contains a line end, so no two lists give the same text. */
const macOf = (key: Uint8Array, parts: readonly string[]): string =>
  createHmac('sha256', key).update(parts.join('\n')).digest('base64url')

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
