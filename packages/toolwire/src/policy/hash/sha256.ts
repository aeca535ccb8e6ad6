// SHA-256 for runtimes that have it only behind a promise. FIPS 180-4
const primes = firstPrimes(64)
const roundKeys = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const beginning = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const schedule = new Int32Array(64)

/** The SHA-256 of the bytes, as eight words. */
export function sha256Words(bytes: Uint8Array): Int32Array {
  const state = Int32Array.from(beginning)
  const whole = bytes.length - (bytes.length % 64)
  const message = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < whole; at += 64) absorbMessage(state, message, at)
  const end = ending(bytes.subarray(whole), bytes.length)
  for (let at = 0; at < end.byteLength; at += 64) absorbMessage(state, end, at)
  return state
}

/** The first 32 bits after the binary point. */
function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let next = 2; found.length < count; next++) if (found.every((prime) => next % prime !== 0)) found.push(next)
  return found
}

/** The remaining bytes, a one, zeros, and the length in bits. */
function ending(rest: Uint8Array, length: number): DataView {
  const padded = new Uint8Array(rest.length < 56 ? 64 : 128)
  padded.set(rest)
  padded[rest.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n)
  return view
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

function absorbMessage(state: Int32Array, message: DataView, at: number): void {
  for (let index = 0; index < 16; index++) schedule[index] = message.getInt32(at + index * 4)
  absorbBlock(state)
}

/** Reads the block from the first 16 words of the schedule. */
function absorbBlock(state: Int32Array): void {
  for (let index = 16; index < 64; index++) {
    const near = schedule[index - 2]!
    const far = schedule[index - 15]!
    const smallNear = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)
    const smallFar = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)
    schedule[index] = (schedule[index - 16]! + smallFar + schedule[index - 7]! + smallNear) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g)
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + roundKeys[round]! + schedule[round]!) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

/** The state after a block that is always the same, such as a key. */
export function stateAfter(block: Uint8Array): Int32Array {
  const state = Int32Array.from(beginning)
  absorbMessage(state, new DataView(block.buffer, block.byteOffset, 64), 0)
  return state
}

/** Longest text that fits into one block with its padding. */
const longestShort = 55

const state = new Int32Array(8)

/** The state after one block and a short text; undefined if the text is not short, or not ASCII. The next call overwrites the result. */
export function afterShortText(before: Int32Array, text: string): Int32Array | undefined {
  if (text.length > longestShort) return undefined
  for (let index = 0; index < 16; index++) schedule[index] = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return undefined
    schedule[at >> 2]! |= unit << (24 - (at & 3) * 8)
  }
  schedule[text.length >> 2]! |= 0x80 << (24 - (text.length & 3) * 8)
  schedule[15] = (64 + text.length) * 8
  state.set(before)
  absorbBlock(state)
  return state
}

/** The state after one block and a digest. The next call overwrites the result. */
export function afterDigest(before: Int32Array, digest: Int32Array): Int32Array {
  for (let index = 0; index < 8; index++) schedule[index] = digest[index]!
  for (let index = 9; index < 15; index++) schedule[index] = 0
  schedule[8] = 0x80000000
  schedule[15] = (64 + 32) * 8
  state.set(before)
  absorbBlock(state)
  return state
}
