import type { Sealer } from './application.js'

const text = new TextEncoder()
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

type Random = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

/**
 * AES-256-GCM over JSON, with the purpose as associated data. Without a secret a random one is made, which ends with the process;
 * several replicas need the same one. The first secret seals, all of them open, so that secrets can be changed one after another.
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
      return toBase64Url(iv) + toBase64Url(new Uint8Array(sealed))
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

/** A token that does not open is a stranger's or an altered one; it makes no difference which. */
const notOurs = () => undefined

const fill: Random = (bytes) => crypto.getRandomValues(bytes)

const keysOf = (secrets: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly CryptoKey[]> =>
  Promise.all(
    secrets.map(async (secret) => {
      const digest = await crypto.subtle.digest('SHA-256', secret)
      return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt'])
    }),
  )

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(token: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(token) || token.length % 4 === 1) return undefined
  // The initialisation vector has 12 bytes, 16 characters without a remainder: both parts decode as one.
  return Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}
