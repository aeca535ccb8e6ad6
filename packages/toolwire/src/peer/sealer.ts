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
  let keys: Promise<Keys> | undefined
  const ready = () => {
    keys ??= keysFrom(secrets, random)
    return keys
  }
  return {
    async seal(purpose, value) {
      const { newest } = await ready()
      const iv = random(new Uint8Array(ivBytes))
      const sealed = await crypto.subtle.encrypt(algorithm(iv, purpose), newest, text.encode(JSON.stringify(value)))
      return toBase64Url(iv) + toBase64Url(new Uint8Array(sealed))
    },
    async open(purpose, token) {
      const bytes = fromBase64Url(token)
      if (!bytes || bytes.length < ivBytes + tagBytes) return undefined
      const { newest, older } = await ready()
      for (const key of [newest, ...older]) {
        const opened = await crypto.subtle
          .decrypt(algorithm(bytes.subarray(0, ivBytes), purpose), key, bytes.subarray(ivBytes))
          .catch(notOurs)
        if (opened) return JSON.parse(new TextDecoder().decode(opened))
      }
      return undefined
    },
  }
}

type Keys = { readonly newest: CryptoKey; readonly older: readonly CryptoKey[] }

async function keysFrom([first, ...others]: readonly string[], random: Random): Promise<Keys> {
  const newest = keyFrom(first === undefined ? random(new Uint8Array(keyBytes)) : text.encode(first))
  const older = others.map((secret) => keyFrom(text.encode(secret)))
  return { newest: await newest, older: await Promise.all(older) }
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, purpose: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: text.encode(purpose),
})

/** A token that does not open is a stranger's or an altered one; it makes no difference which. */
const notOurs = () => undefined

const fill: Random = (bytes) => crypto.getRandomValues(bytes)

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
