import type { Sealer } from './application.js'

const text = new TextEncoder()

/**
 * AES-256-GCM over JSON, with the purpose as associated data. Without a secret a random one is made, which ends with the process;
 * several replicas need the same one. The first secret seals, all of them open, so that secrets can be changed one after another.
 */
export function sealer(
  secrets: readonly string[] = [],
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = fill,
): Sealer {
  let keys: Promise<CryptoKey[]> | undefined
  const ready = () => {
    keys ??= Promise.all(
      (secrets.length > 0 ? secrets.map((secret) => text.encode(secret)) : [random(new Uint8Array(32))]).map(keyFrom),
    )
    return keys
  }
  return {
    async seal(purpose, value) {
      const [key] = await ready()
      const iv = random(new Uint8Array(12))
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData: text.encode(purpose) },
        key as CryptoKey,
        text.encode(JSON.stringify(value)),
      )
      return toBase64Url(iv) + toBase64Url(new Uint8Array(sealed))
    },
    async open(purpose, token) {
      const bytes = fromBase64Url(token)
      if (!bytes || bytes.length < 12 + 16) return undefined
      const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12), additionalData: text.encode(purpose) }
      for (const key of await ready()) {
        const opened = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12)).catch(notOurs)
        if (opened) return JSON.parse(new TextDecoder().decode(opened))
      }
      return undefined
    },
  }
}

/** A token that does not open is a stranger's or an altered one; it makes no difference which. */
const notOurs = () => undefined

const fill = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)

async function keyFrom(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', await crypto.subtle.digest('SHA-256', secret), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

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
