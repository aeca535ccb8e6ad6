// Hashes the content of files that are started. Only regular files are read, in pieces and up to a limit.
import { createHash } from 'node:crypto'
import { type BigIntStats, constants, statSync } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'

/** A file's hash, and a `stamp` that changes as soon as the file is written, replaced or moved. */
export type HashedFile = { readonly path: string; readonly hash: string; readonly stamp: string }

/** Programs are smaller. The hash of a larger file covers the part that was read, its size and its times. */
const maxHashedBytes = 128 * 1_024 * 1_024
const pieceBytes = 1_024 * 1_024
const mostKnown = 256
const known = new Map<string, HashedFile>()

/** The hash of a regular file, or its state if reading it is forbidden; undefined for anything else. Throws if it cannot be read now. */
export async function hashFile(path: string, most = maxHashedBytes): Promise<HashedFile | undefined> {
  // A pipe or a device must not even be opened.
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const before = known.get(path)
  const stamp = fileStampOf(found)
  if (before?.stamp === stamp) return before
  const read = await readFile(path, most).catch((cause: unknown) => {
    if (!isForbidden(cause)) throw new Error(`${path} cannot be read, so its server cannot be identified. ${cause}`, { cause })
  })
  // A program may be executable and not readable.
  if (read === undefined) return { path, hash: `unreadable ${stamp}`, stamp }
  if (read === 'irregular') return undefined
  if (known.size >= mostKnown) known.clear()
  known.set(path, read)
  return read
}

const isForbidden = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'EACCES' || thrown.code === 'EPERM')

async function readFile(path: string, most: number): Promise<HashedFile | 'irregular'> {
  // O_NONBLOCK avoids waiting for a file that has become a pipe in the meantime.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const about = await handle.stat({ bigint: true })
    if (!about.isFile()) return 'irregular'
    const hash = createHash('sha256').update(`${about.size} `)
    const piece = Buffer.allocUnsafe(pieceBytes)
    let total = 0
    while (total < most) {
      const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, most - total), total)
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
      total += bytesRead
    }
    if (about.size > most) hash.update(fileStampOf(about))
    return { path, hash: hash.digest('hex'), stamp: fileStampOf(about) }
  } finally {
    await handle.close()
  }
}

/** Identifies the current state of a file; empty if the file does not exist. */
export function fileStamp(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found ? fileStampOf(found) : ''
  } catch {
    return '' // even the folder is unreadable
  }
}

export const fileStampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join()

/** Can the gateway's account replace this file? */
export async function isReplaceable(path: string): Promise<boolean> {
  const allowed = (place: string) => access(place, constants.W_OK).catch(() => 'not allowed')
  return (await Promise.all([path, dirname(path)].map(allowed))).includes(undefined)
}

/** Endings of programs on Windows, in the order in which they are tried. */
export const windowsPrograms = ['.com', '.exe', '.bat', '.cmd'] as const

/** Can a file be started? Windows has no permission for that, so there the ending decides. */
export async function isExecutable(path: string, platform = process.platform): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return false
  if (platform === 'win32') return windowsPrograms.some((ending) => extname(path).toLowerCase() === ending)
  return (found.mode & 0o111) !== 0
}
