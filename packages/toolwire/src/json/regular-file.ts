// Files that a person or a config names. Node only, loaded when a file is read.
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** A path that leads to no file with contents: reading it would hang, or never end. */
export class NotRegular extends Error {
  override name = 'NotRegular'
  readonly path: string
  /** What it is instead, and what to do. */
  readonly why: string

  constructor(path: string, why: string) {
    super(`${path} ${why}`)
    this.path = path
    this.why = why
  }
}

/** More than any file of rules, settings or tokens has. */
const largestFile = 4 * 1024 * 1024

/** The bytes of a file, of which there are at most so many. Throws where the path leads to a pipe, a device, a socket or a folder. */
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

/** Opens a file for reading, if it is one. It is looked at first: opening a device may do something. */
export async function openRegular(path: string): Promise<FileHandle> {
  const { constants } = await import('node:fs')
  const { open, stat } = await import('node:fs/promises')
  refuseOther(path, await stat(path))
  // Something else may have come in its place: without O_NONBLOCK, a pipe would be waited for.
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

/** Some systems say that a file is empty which is not, and files grow while they are read. */
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
