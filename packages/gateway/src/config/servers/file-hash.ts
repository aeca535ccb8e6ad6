// The content of a file that is started, as a hash. Only regular files are read, in pieces, and no further than a bound.
import { createHash } from 'node:crypto'
import { type BigIntStats, constants, statSync } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file as it was when it was read: `stamp` is another one as soon as it is written, replaced or moved. */
export type HashedFile = { readonly path: string; readonly hash: string; readonly stamp: string }

/** Programs are smaller. Of a larger file, its size and its times count with the part that is read. */
const maxHashedBytes = 128 * 1_024 * 1_024
const pieceBytes = 1_024 * 1_024
const mostKnown = 256
const known = new Map<string, HashedFile>()

/** Undefined where there is no regular file. */
export async function hashFile(path: string, most = maxHashedBytes): Promise<HashedFile | undefined> {
  // A pipe or a device is not even opened.
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const before = known.get(path)
  if (before?.stamp === stampFrom(found)) return before
  const read = await readFile(path, most)
  if (!read) return undefined
  if (known.size >= mostKnown) known.clear()
  known.set(path, read)
  return read
}

async function readFile(path: string, most: number): Promise<HashedFile | undefined> {
  let handle: FileHandle
  try {
    // What has become a pipe in the meantime is not waited for.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return { path, hash: 'unreadable', stamp: fileStamp(path) }
  }
  try {
    const about = await handle.stat({ bigint: true })
    if (!about.isFile()) return undefined
    const hash = createHash('sha256').update(`${about.size} `)
    const piece = Buffer.allocUnsafe(pieceBytes)
    let total = 0
    while (total < most) {
      const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, most - total), total)
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
      total += bytesRead
    }
    if (about.size > most) hash.update(stampFrom(about))
    return { path, hash: hash.digest('hex'), stamp: stampFrom(about) }
  } finally {
    await handle.close()
  }
}

/** How the file is told from what it was; empty where there is none. */
export function fileStamp(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found ? stampFrom(found) : ''
  } catch {
    return '' // not even its folder can be looked into
  }
}

export const stampFrom = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs, ctimeNs].join()

/** A file in whose place the account of the gateway can put another one. */
export async function isReplaceable(path: string): Promise<boolean> {
  const allowed = (place: string) => access(place, constants.W_OK).catch(() => 'not allowed')
  return (await Promise.all([path, dirname(path)].map(allowed))).includes(undefined)
}

export async function isExecutable(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && (found.mode & 0o111) !== 0
}
