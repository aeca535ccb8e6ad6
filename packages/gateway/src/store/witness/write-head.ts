// Sends a signed head to a witness: as a line of a file, or as a request.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { abortAfter } from '../../bounds/abort-after.js'
import type { WitnessLocation } from '../../config/witness-location.js'
import type { SignedHead } from '../audit/signed-head.js'

const timeoutMs = 10_000
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants

export function writeHead(head: SignedHead, place: WitnessLocation, signal?: AbortSignal): Promise<void> {
  return place.kind === 'file' ? appendHead(head, place.path) : postHead(head, place.url, signal)
}

async function appendHead(head: SignedHead, path: string): Promise<void> {
  // Does not follow links, and does not block on a pipe.
  const unwritable = (cause: unknown): never => {
    throw new Error(`The witness ${path} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600).catch(unwritable)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`The witness ${path} is not a regular file. Name another file`)
    const begin = (await endsInLine(file)) ? '' : '\n'
    await appendWhole(file, `${begin}${JSON.stringify(head)}\n`).catch(unwritable)
  } finally {
    await file.close()
  }
}

/** Appends all of the text, or none of it. */
async function appendWhole(file: FileHandle, text: string): Promise<void> {
  const { size } = await file.stat()
  const bytes = Buffer.from(text)
  let written = 0
  try {
    written = (await file.write(bytes)).bytesWritten
    if (written < bytes.length) throw new Error('its disk is full. Make room on it')
    await file.sync()
  } catch (thrown) {
    // Another gateway may have added a head behind it. An append-only file keeps the incomplete line, which readers skip.
    if ((await file.stat()).size === size + written) await file.truncate(size).catch(() => undefined)
    throw thrown
  }
}

/** False after a line without its end, so that the next head begins on a line of its own. */
async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}

async function postHead(head: SignedHead, url: string, signal?: AbortSignal): Promise<void> {
  const { origin } = new URL(url)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(head),
    // The operator has not named the target of a redirect.
    redirect: 'error',
    signal: signal ? abortAfter(signal, timeoutMs) : AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(`The witness at ${origin} cannot be reached: ${cause instanceof Error ? cause.message : cause}`, { cause })
  })
  // The body of the response does not matter.
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The witness at ${origin} refused the head: it answered HTTP ${response.status}`)
}
