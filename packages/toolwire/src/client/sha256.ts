// SHA-256 without waiting: `crypto.subtle` only answers later, and names are needed at once. FIPS 180-4
type Words = Uint32Array<ArrayBuffer>

const primes = firstPrimes(64)
const roundKeys = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const beginning = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  const state = Uint32Array.from(beginning)
  const message = padded(new TextEncoder().encode(text))
  for (let at = 0; at < message.byteLength; at += 64) absorb(state, new DataView(message.buffer, at, 64))
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The first 32 bits after the point. */
function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let next = 2; found.length < count; next++) if (found.every((prime) => next % prime !== 0)) found.push(next)
  return found
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  message.set(bytes)
  message[bytes.length] = 0x80
  new DataView(message.buffer).setBigUint64(message.length - 8, BigInt(bytes.length) * 8n)
  return message
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

function absorb(state: Words, block: DataView): void {
  const schedule = scheduleOf(block)
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number] // eight words
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g)
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + roundKeys[round]! + schedule[round]!
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index]! += word
}

function scheduleOf(block: DataView): Words {
  const words = new Uint32Array(64)
  for (let index = 0; index < 16; index++) words[index] = block.getUint32(index * 4)
  for (let index = 16; index < 64; index++) {
    const [near, far] = [words[index - 2]!, words[index - 15]!]
    const smallNear = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)
    const smallFar = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)
    words[index] = words[index - 16]! + smallFar + words[index - 7]! + smallNear
  }
  return words
}
