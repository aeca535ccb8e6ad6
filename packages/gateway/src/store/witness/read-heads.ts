// Reads the heads that a witness has kept, a signed head in each line.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { WitnessLocation } from '../../config/witness-location.js'
import { jsonIn } from '../../json/json-in.js'
import { isHead, parseSignedHead, type SignedHead } from '../audit/signed-head.js'

const longestLine = 2_048
const mostBytes = 256 * 1_024 * 1_024
const timeoutMs = 60_000

/** The heads in their order, and the number of incomplete lines; or the number of the first other line that is not a head. */
type WitnessHeads = { readonly heads: readonly SignedHead[]; readonly incomplete: number } | { readonly line: number }

export async function readHeads(place: WitnessLocation): Promise<WitnessHeads> {
  const heads: SignedHead[] = []
  let line = 0
  let incomplete = 0
  for await (const text of createInterface({ input: limitSize(await openHeads(place)), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (text.trim() === '') continue
    if (text.length > longestLine) return { line }
    // A disk that was full took the beginning of a head. The heads in the other lines prove what they did.
    if (jsonIn(text) === undefined) incomplete++
    else {
      const head = parseSignedHead(text)
      if (!head || !isHead(head)) return { line }
      heads.push(head)
    }
  }
  return { heads, incomplete }
}

async function openHeads(place: WitnessLocation): Promise<Readable> {
  if (place.kind === 'file') {
    const { machine } = await import('toolwire/relay')
    return (await machine.openRegular(place.path)).createReadStream()
  }
  const response = await fetch(place.url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  const { origin } = new URL(place.url)
  if (!response.ok || !response.body)
    throw new Error(`The heads cannot be read from the witness at ${origin}: it answered HTTP ${response.status}`)
  return Readable.fromWeb(response.body as ReadableStream)
}

function limitSize(input: Readable): Readable {
  const pieces = async function* () {
    let bytes = 0
    for await (const piece of input) {
      bytes += (piece as Buffer).length // no encoding is set
      if (bytes > mostBytes) throw new Error(`The heads of the witness are larger than ${mostBytes} bytes`)
      yield piece as Buffer
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}
