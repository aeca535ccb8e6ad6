import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '../config-error.js'

/** Large, because Claude Code keeps its history in the same file. */
export const maxFileBytes = 64 * 1024 * 1024

/** The content of a file when it was read; undefined if there was no file. */
export type FileContent = string | undefined

export async function readContent(path: string): Promise<FileContent> {
  const { machine } = await import('toolwire/relay')
  try {
    return await machine.readRegularText(path, maxFileBytes)
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw refused(path, 'cannot be read', cause)
  }
}

/** Replaces a file atomically. A symbolic link stays a link, and the file mode is kept. */
export async function replaceFile(path: string, expected: FileContent, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const real = await realpath(path).catch(() => path)
  const mode = await fileModeOf(real)
  const { machine } = await import('toolwire/relay')
  const fresh = `${real}.${randomUUID()}.tmp`
  try {
    await writeNewFile(fresh, text, mode)
    // Of two writers that read the same content, the second must see the text of the first.
    await machine.withFileLock(`${real}.toolwire-lock`, async () => {
      if ((await readContent(path)) !== expected) throw refused(path, 'was changed by another program in the meantime; try again')
      await rename(fresh, real)
    })
  } catch (cause) {
    await rm(fresh, { force: true })
    throw cause instanceof ConfigError ? cause : refused(path, 'cannot be written', cause)
  }
}

/** Like replaceFile, but keeps the old file beside the new one: `mcp.json.2026-01-31T12-00-00-000Z.bak`. */
export async function replaceWithBackup(path: string, before: FileContent, text: string): Promise<string | undefined> {
  if (before === undefined) return void (await replaceFile(path, before, text))
  const backup = `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}.bak`
  await writeNewFile(backup, before, await fileModeOf(path))
  await replaceFile(path, before, text)
  return backup
}

/** Writes a file that does not exist yet. */
export async function writeNewFile(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  // The umask may have removed bits from the mode.
  await chmod(path, mode)
}

/** The mode of a file; a new file is for its owner alone, because it may contain keys. */
export const fileModeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0o600,
  )

/** Also if a file is in place of its folder. */
const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')

function refused(file: string, message: string, cause?: unknown): ConfigError {
  const why = !(cause instanceof Error) ? '' : 'why' in cause ? `: ${cause.why}` : 'code' in cause ? `: ${cause.code}` : ''
  return new ConfigError([{ at: '', message: message + why }], { file, cause })
}
