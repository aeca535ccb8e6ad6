// Reads files that a person or a config names. Node only, loaded when a file is read.
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { decodeUtf8 } from './utf8.js'

/** Thrown for a path that is no regular file, and for a file that is too large: reading could hang, or never end. Also for text that is not UTF-8. */
export class NotRegular extends Error {
  override name = 'NotRegular'
  readonly path: string
  /** The message without the path: the reason and the remedy. */
  readonly why: string

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path} ${why}`, options)
    this.path = path
    this.why = why
  }
}

/** Larger than any file of rules, settings or tokens. */
const largestFile = 4 * 1024 * 1024

/** Reads a file of at most `most` bytes. Throws if the path leads to a pipe, a device, a socket or a folder. */
export async function readRegular(path: string, most: number = largestFile): Promise<Uint8Array> {
  const file = await openRegular(path)
  try {
    const { size } = await file.stat()
    if (size > most) throw tooLarge(path, most)
    return await bytesOf(file, { path, size, most })
  } finally {
    await file.close()
  }
}

/** Reads a file of text strictly: bytes that are not UTF-8 must not pass for other characters. */
export async function readRegularText(path: string, most?: number): Promise<string> {
  const bytes = await readRegular(path, most)
  try {
    return decodeUtf8(bytes)
  } catch (cause) {
    throw new NotRegular(path, 'is not UTF-8; save it as UTF-8', { cause })
  }
}

/** Opens a regular file for reading. Its kind is checked first, because opening a device may have effects. */
export async function openRegular(path: string): Promise<FileHandle> {
  const { constants } = await import('node:fs')
  const { open, stat } = await import('node:fs/promises')
  refuseOther(path, await stat(path))
  // The path may lead elsewhere by now: without O_NONBLOCK, opening a pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    refuseOther(path, await file.stat())
    return file
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

type Reading = { readonly path: string; readonly size: number; readonly most: number }

/** Reads to the end whatever the size says: some systems report 0 for files with contents, and files grow while they are read. */
async function bytesOf(file: FileHandle, { path, size, most }: Reading): Promise<Uint8Array> {
  let bytes = new Uint8Array(size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, null)
    if (bytesRead === 0) return bytes.subarray(0, length)
    length += bytesRead
    if (length > most) throw tooLarge(path, most)
    if (length < bytes.length) continue
    const larger = new Uint8Array(Math.min(bytes.length * 2 + 4_096, most + 1))
    larger.set(bytes)
    bytes = larger
  }
}

function refuseOther(path: string, kind: Stats): void {
  if (kind.isFile()) return
  const what = kind.isDirectory() ? 'folder' : kind.isFIFO() ? 'pipe' : kind.isSocket() ? 'socket' : 'device'
  throw new NotRegular(path, `is a ${what}, not a file; name a regular file`)
}

const tooLarge = (path: string, most: number): NotRegular =>
  new NotRegular(path, `is larger than ${most} bytes; name a smaller file`)
