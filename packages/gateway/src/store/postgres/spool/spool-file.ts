import { constants, type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreFailure } from '../../store-failure.js'

const pieceBytes = 512 * 1_024
const newline = 0x0a

export type SpoolFile = Awaited<ReturnType<typeof createSpoolFile>>

/** Creates the file, or empties it. */
export async function createSpoolFile(path: string, mostBytes: number) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'w+', 0o600)
  await syncFolder(dirname(path))
  let size = 0
  let isTorn = false
  return {
    get size() {
      return size
    },
    /** The line is safe on the disk when the promise settles, and absent if it rejects. Bytes before `from` do not count: they were moved. */
    async add(line: string, from = 0): Promise<void> {
      const bytes = Buffer.from(line)
      if (size - from + bytes.length > mostBytes) throw spoolFull(mostBytes)
      if (isTorn) await file.truncate(size)
      isTorn = true
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, size + done)).bytesWritten
      await file.datasync()
      isTorn = false
      size += bytes.length
    },
    linesFrom: (from: number) => readSpoolLines(file, from, size),
    close: () => file.close(),
    async remove(): Promise<void> {
      await file.close()
      await unlink(path)
    },
  }
}

/** Returns whole lines, up to half a mebibyte or a single longer one, and the position of the next. A torn last line is left out. */
export async function readSpoolLines(file: FileHandle, from: number, until: number) {
  for (let length = pieceBytes; from < until; length *= 2) {
    const bytes = Buffer.alloc(Math.min(length, until - from))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
    const end = bytes.subarray(0, bytesRead).lastIndexOf(newline)
    if (end >= 0) return { lines: bytes.toString('utf8', 0, end).split('\n'), next: from + end + 1 }
    if (bytesRead < length) break
  }
  return { lines: [], next: from }
}

/** Writes the folder, because a new file survives a crash only with its folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  await folder.sync().finally(() => folder.close())
}

const spoolFull = (mostBytes: number): StoreFailure =>
  new StoreFailure(
    `The spool on the local disk is full (${mostBytes / 1_048_576} MiB), because PostgreSQL could not be reached for too long. Start PostgreSQL: calls are refused until it answers`,
  )
