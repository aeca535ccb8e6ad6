import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { CredentialKey } from '../database/sealed-rows.js'

const version = 1
const ivLength = 12
const tagLength = 16

export type Sealer = ReturnType<typeof createSealer>

/** Seals values with AES-256-GCM, each bound to its place: moved to another place, a value cannot be opened. */
export function createSealer(key: Uint8Array) {
  return {
    seal(value: string, place: CredentialKey): Uint8Array {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(place))
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return Buffer.concat([Uint8Array.of(version), iv, cipher.getAuthTag(), body])
    },
    open(sealed: Uint8Array, place: CredentialKey): string {
      const iv = sealed.subarray(1, 1 + ivLength)
      const tag = sealed.subarray(1 + ivLength, 1 + ivLength + tagLength)
      if (sealed[0] !== version || tag.length !== tagLength) throw unreadable(place)
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
        .setAAD(boundTo(place))
        .setAuthTag(tag)
      try {
        return decipher.update(sealed.subarray(1 + ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw unreadable(place)
      }
    },
  }
}

const keyLength = 32

export const newVaultKey = (): string => randomBytes(keyLength).toString('base64')

/** A key of 256 bits, as hexadecimal or base64. */
export function readVaultKey(text: string, place: string, advice = ''): Uint8Array {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64')
  if (key.length !== keyLength) throw new Error(`${place} must hold a key of 32 bytes, as hexadecimal or base64. ${advice}`)
  return key
}

/** Derives another key, from which the first one cannot be recovered. */
export const deriveKey = (key: Uint8Array, use: string): Uint8Array => new Uint8Array(hkdfSync('sha256', key, '', use, keyLength))

/** The sealers of a store, each with a key derived from the vault key. */
export const storeSealers = (secret: Uint8Array) => ({
  approvals: createSealer(deriveKey(secret, 'toolwire approvals')),
  vault: createSealer(deriveKey(secret, 'toolwire vault')),
})

const boundTo = ({ server, principal, name }: CredentialKey): Buffer => Buffer.from(JSON.stringify([server, principal, name]))

const unreadable = ({ server, principal }: CredentialKey): Error =>
  new Error(
    `The credential of ${principal} for ${server} was sealed with another key, or was changed. Restore the key, or log in to the server again.`,
  )
