import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { AuditHead } from 'toolwire/guard'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'

/**
 * Purposes of signatures. Each has a text of its own that is signed too, so a signature for one purpose is invalid for another.
 * Otherwise an exported head could stand for the mark that says where the log begins.
 */
const purposes = {
  head: 'toolwire audit head 1',
  retention: 'toolwire audit retention mark 1',
  checkpoint: 'toolwire audit checkpoint 1',
} as const

type HeadPurpose = Exclude<keyof typeof purposes, 'checkpoint'>

/** Only the holder of the private key can make or check a seal, which costs far less than a signature. */
const sealPurpose = 'toolwire audit stream end 1'

/** A signed head. Kept elsewhere, it shows whether the end of the log was cut off, or the log was rewritten. */
export type SignedHead = AuditHead & {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The public key, as base64url of its 32 bytes. */
  readonly key: string
  /** Ed25519, as base64url. */
  readonly signature: string
}

export type HeadSigner = ReturnType<typeof headSigner>

export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type KeyPlace = { readonly place?: string; readonly advice?: string }

export function headSigner(pem: string, place: KeyPlace = {}) {
  const key = readSigningKey(pem, place)
  const publicKey = createPublicKey(key).export({ format: 'jwk' }).x ?? ''
  const sealKey = new Uint8Array(hkdfSync('sha256', key.export({ type: 'pkcs8', format: 'der' }), '', sealPurpose, 32))
  const publicKeyObject = createPublicKey(key)
  return {
    publicKey,
    sign({ sequence, hash }: AuditHead, purpose: HeadPurpose): SignedHead {
      const head = { sequence, hash, at: Date.now(), key: publicKey }
      return { ...head, signature: sign(null, signedBytes(head, purpose), key).toString('base64url') }
    },
    /** True if the head was signed with this key, for this purpose. */
    isOurs: (head: SignedHead, purpose: HeadPurpose) => head.key === publicKey && isSignedBy(head, publicKeyObject, purpose),
    /** Ed25519 over the text of a checkpoint, as base64url. */
    signCheckpoint: (text: string): string => sign(null, checkpointBytes(text), key).toString('base64url'),
    isOurCheckpoint: (text: string, signature: string): boolean => isCheckpointOf(text, signature, publicKeyObject),
    /** An HMAC of the text, in hexadecimal. */
    seal: (text: string): string => createHmac('sha256', sealKey).update(text).digest('hex'),
  }
}

/** Signatures of other kinds of keys are not those that verifiers expect. */
function readSigningKey(
  pem: string,
  { place = 'The signing key', advice = 'Create one with: openssl genpkey -algorithm ed25519' }: KeyPlace,
): KeyObject {
  const expected = `${place} must be an Ed25519 private key as PEM, without a password`
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (cause) {
    throw new Error(`${expected}. ${advice}`, { cause })
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Error(`${expected}, and holds a key of the type ${key.asymmetricKeyType}. ${advice}`)
}

/** True if the head was signed for this purpose with the private key that belongs to this public key. */
export const isSignedBy = (head: SignedHead, key: KeyObject, purpose: HeadPurpose = 'head'): boolean =>
  typeof head.signature === 'string' && verify(null, signedBytes(head, purpose), key, Buffer.from(head.signature, 'base64url'))

/** Creates the key from its 32 bytes as base64url. */
export const publicKeyOf = (x: string): KeyObject => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })

export const isCheckpointOf = (text: string, signature: string, key: KeyObject): boolean =>
  verify(null, checkpointBytes(text), key, Buffer.from(signature, 'base64url'))

/** Parses a signed head; undefined if the text is no JSON object. */
export function parseSignedHead(text: string): SignedHead | undefined {
  const found = jsonIn(text)
  return isObject(found) ? (found as SignedHead) : undefined // signature checks reject other objects
}

/** True if each member has its form; the signature may still be wrong. */
export function isHead({ sequence, hash, at, key, signature }: SignedHead): boolean {
  const areTexts = [hash, key, signature].every((text) => typeof text === 'string')
  return (
    areTexts &&
    /^[\da-f]{64}$/.test(hash) &&
    /^[\w-]{43}$/.test(key) &&
    Number.isSafeInteger(sequence) &&
    sequence > 0 &&
    Number.isFinite(at)
  )
}

const checkpointBytes = (text: string): Buffer => Buffer.from(`${purposes.checkpoint}\n${text}`)

const signedBytes = ({ sequence, hash, at, key }: Omit<SignedHead, 'signature'>, purpose: HeadPurpose): Buffer =>
  Buffer.from(`${purposes[purpose]}\n${JSON.stringify([sequence, hash, at, key])}`)
