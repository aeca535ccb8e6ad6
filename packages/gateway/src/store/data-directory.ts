import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const lockFile = 'toolwire.lock'

/** Creates the directory and its files, so that only their owner can read them. Returns the path of the database. */
export function prepareDataDirectory(directory: string): string {
  preparePrivate(directory, ['toolwire.db', lockFile])
  return join(directory, 'toolwire.db')
}

/** Creates the directory of a gateway whose database is elsewhere. */
export const prepareLockedDirectory = (directory: string): void => preparePrivate(directory, [lockFile])

function preparePrivate(directory: string, files: readonly string[]): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    chmodSync(directory, 0o700)
    for (const name of files) makePrivate(join(directory, name))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The data directory ${directory} cannot be written (${why}). Make it writable, or choose another one.`, {
      cause,
    })
  }
}

/** Reads a file that only its owner can read, and creates it on first use. */
export async function readOrCreateSecret(path: string, make: () => string): Promise<string> {
  const { machine } = await import('toolwire/relay')
  try {
    const kept = new TextDecoder().decode(await machine.readRegular(path))
    chmodSync(path, 0o600)
    return kept
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
  }
  const made = make()
  // With a store in PostgreSQL, nothing else has created the directory.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, made)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return made
}

const smallBytes = 65_536

/** Reads a small file; undefined if there is none that this account can read, or if it is no regular file: a pipe would never end. */
export function readSmallFile(path: string): string | undefined {
  let file: number | undefined
  try {
    if (!statSync(path).isFile()) return undefined
    // The path may lead to a pipe by now, whose writer would be waited for without O_NONBLOCK.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(file).isFile()) return undefined
    const bytes = Buffer.alloc(smallBytes)
    return bytes.toString('utf8', 0, readSync(file, bytes))
  } catch {
    return undefined // missing or unreadable: both mean that there is none
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Writes a file that only its owner can read. It appears whole, and with its mode already set. */
export function writePrivateFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = join(folder, `${name}.${randomBytes(6).toString('hex')}`)
  writeFileSync(made, text, { mode: 0o600, flag: 'wx' })
  renameSync(made, join(folder, name))
}

/** Makes the first file private, because SQLite gives the files that it adds the same mode. */
function makePrivate(path: string): void {
  // An existing file is not opened, because closing it would release the locks that this process has on it.
  if (existsSync(path)) chmodSync(path, 0o600)
  else closeSync(openSync(path, 'wx', 0o600))
}

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
