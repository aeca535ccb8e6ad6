import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import type { AuditHead } from 'toolwire/guard'

/** A head that somebody has vouched for. Kept elsewhere, it shows that the end of the log was not cut off, or the log made anew. */
export type SignedHead = AuditHead & {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The public key, as base64url of its 32 bytes. */
  readonly key: string
  /** Ed25519, as base64url. */
  readonly signature: string
}

export type Signer = {
  /** As base64url of its 32 bytes. */
  readonly publicKey: string
  sign(head: AuditHead): SignedHead
  /** Whether it was signed with this key. */
  isOurs(head: SignedHead): boolean
}

/** A new private key, as the text of a file. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

export function signer(pem: string): Signer {
  const key = createPrivateKey(pem)
  const publicKey = rawOf(createPublicKey(key))
  return {
    publicKey,
    sign({ sequence, hash }) {
      const head = { sequence, hash, at: Date.now(), key: publicKey }
      return { ...head, signature: sign(null, signedBytes(head), key).toString('base64url') }
    },
    isOurs: (head) => isSignedBy(head, publicKey),
  }
}

/** Whether the head was signed with the key that belongs to this public one. */
export function isSignedBy(head: SignedHead, publicKey: string): boolean {
  const { key, signature } = head
  if (key !== publicKey || typeof signature !== 'string') return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey }
  return verify(null, signedBytes(head), createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature, 'base64url'))
}

const signedBytes = ({ sequence, hash, at, key }: Omit<SignedHead, 'signature'>): Buffer =>
  Buffer.from(`toolwire audit head 1\n${JSON.stringify([sequence, hash, at, key])}`)

const rawOf = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? ''
