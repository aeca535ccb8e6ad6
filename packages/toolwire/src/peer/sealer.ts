import { base64Url } from '../tools/content.js'
import type { Sealer } from './application.js'

const text = new TextEncoder()
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

type Random = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

/**
 * AES-256-GCM over JSON, with the purpose as associated data. Without a secret, a random one is generated for the life of the process;
 * replicas must share secrets. The first secret seals and all of them open, so that secrets can be rotated.
 */
export function sealer(secrets: readonly string[] = [], random: Random = fill): Sealer {
  let keys: Promise<readonly CryptoKey[]> | undefined
  const ready = () => {
    keys ??= keysOf(secrets.length > 0 ? secrets.map((secret) => text.encode(secret)) : [random(new Uint8Array(keyBytes))])
    return keys
  }
  return {
    async seal(purpose, value) {
      const [newest] = await ready()
      const iv = random(new Uint8Array(ivBytes))
      // There is one key at least.
      const sealed = await crypto.subtle.encrypt(algorithm(iv, purpose), newest!, text.encode(JSON.stringify(value)))
      return base64Url(iv) + base64Url(new Uint8Array(sealed))
    },
    async open(purpose, token) {
      const bytes = fromBase64Url(token)
      if (!bytes || bytes.length < ivBytes + tagBytes) return undefined
      const how = algorithm(bytes.subarray(0, ivBytes), purpose)
      for (const key of await ready()) {
        const opened = await crypto.subtle.decrypt(how, key, bytes.subarray(ivBytes)).catch(notOurs)
        if (opened) return JSON.parse(new TextDecoder().decode(opened))
      }
      return undefined
    },
  }
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, purpose: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: text.encode(purpose),
})

/** Returned for a token that does not open, whether it is foreign or altered. */
const notOurs = () => undefined

const fill: Random = (bytes) => crypto.getRandomValues(bytes)

const keysOf = (secrets: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly CryptoKey[]> =>
  Promise.all(
    secrets.map(async (secret) => {
      const digest = await crypto.subtle.digest('SHA-256', secret)
      return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt'])
    }),
  )

function fromBase64Url(token: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(token) || token.length % 4 === 1) return undefined
  // The initialization vector has 12 bytes, which are 16 characters without a remainder, so both parts decode as one.
  return Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}
