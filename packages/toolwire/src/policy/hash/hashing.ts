// Synchronous digests: `crypto.subtle` only answers later, and a recorded call would wait for it several times.
import { afterDigest, afterShortText, sha256Words, stateAfter } from './sha256.js'

/** Digests of texts (in UTF-8) and of bytes. */
export type Hashing = {
  hex(data: string | Uint8Array): string
  /** Writes the 32 bytes into `to`. */
  write(data: Uint8Array, to: Uint8Array): void
}

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export const sha256 = (text: string): string => fastestHashing().hex(text)

/** HMAC-SHA-256 of texts in UTF-8 under a key, in hexadecimal. RFC 2104 */
export function hmacSha256(key: Uint8Array, hashing: Hashing = fastestHashing()): (text: string) => string {
  const padded = new Uint8Array(blockLength)
  if (key.length > blockLength) hashing.write(key, padded)
  else padded.set(key)
  const room = new Uint8Array(roomLength)
  room.set(padded.map((byte) => byte ^ 0x36))
  const outer = new Uint8Array(blockLength + 32)
  outer.set(padded.map((byte) => byte ^ 0x5c))
  const inner = outer.subarray(blockLength)
  const free = room.subarray(blockLength)
  const [innerState, outerState] = [stateAfter(room.subarray(0, blockLength)), stateAfter(outer.subarray(0, blockLength))]
  return (text) => {
    // Most texts are short. Two blocks of a short text are done before a native function is reached.
    const short = afterShortText(innerState, text)
    if (short) return hexOf(afterDigest(outerState, short))
    // No character takes more than three bytes for each of its code units.
    const fits = text.length * 3 <= free.length
    hashing.write(fits ? room.subarray(0, blockLength + utf8.encodeInto(text, free).written) : longer(room, text), inner)
    return hashing.hex(outer)
  }
}

const blockLength = 64
/** Most values fit into this buffer, and need no memory of their own. */
const roomLength = 4_096
const utf8 = new TextEncoder()

/** The text in bytes, after the block at the start of `room`. */
function longer(room: Uint8Array, text: string): Uint8Array {
  const bytes = utf8.encode(text)
  const message = new Uint8Array(blockLength + bytes.length)
  message.set(room.subarray(0, blockLength))
  message.set(bytes, blockLength)
  return message
}

/** Works in all runtimes. */
export const portableHashing: Hashing = {
  hex: (data) => hexOf(sha256Words(typeof data === 'string' ? utf8.encode(data) : data)),
  write(data, to) {
    const view = new DataView(to.buffer, to.byteOffset)
    for (const [index, word] of sha256Words(data).entries()) view.setInt32(index * 4, word)
  },
}

const digits = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const units = new Array<number>(64).fill(0)

function hexOf(words: Int32Array): string {
  for (let at = 0; at < 64; at++) units[at] = digits[(words[at >> 3]! >>> (28 - (at & 7) * 4)) & 15]!
  return String.fromCharCode.apply(null, units)
}

let known: Hashing | undefined

function fastestHashing(): Hashing {
  known ??= nativeHashing() ?? portableHashing
  return known
}

type Hash = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex' | 'latin1') => string

/** Node's own hashing, which Bun, Deno and some Workers have, too. Undefined if it is missing or does not work. */
export function nativeHashing(): Hashing | undefined {
  // `process` is looked up by name, because nothing from Node may be imported here, and runtimes without it have no such name.
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => { hash?: Hash } | undefined } }
  try {
    const hash = process?.getBuiltinModule?.('node:crypto')?.hash
    // Some runtimes have the function's name only.
    if (hash?.('sha256', '', 'hex') !== portableHashing.hex('')) return undefined
    return {
      hex: (data) => hash('sha256', data, 'hex'),
      write(data, to) {
        const digest = hash('sha256', data, 'latin1')
        for (let index = 0; index < 32; index++) to[index] = digest.charCodeAt(index)
      },
    }
  } catch {
    return undefined
  }
}
