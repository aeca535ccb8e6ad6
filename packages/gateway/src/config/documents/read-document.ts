import { ConfigError } from '../config-error.js'
import { type Document, documentLimits } from './document.js'
import { readJsonc } from './jsonc.js'
import { readToml } from './toml.js'

/** The text of a file; what is no UTF-8, too large, or not there is refused. */
export async function readTextFile(path: string, bytes: number = documentLimits.bytes): Promise<string> {
  const { machine } = await import('toolwire/relay')
  const content = await machine.readRegular(path, bytes).catch((cause: unknown) => {
    throw new ConfigError([{ at: '', message: unreadable(cause) }], { file: path, cause })
  })
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw refused(path, 'is not UTF-8; save it as UTF-8')
  }
}

/** Reads a config: TOML where the name says so, JSON with comments else. */
export async function readDocument(path: string): Promise<Document> {
  return inFile(path, parseDocument(path, await readTextFile(path)))
}

export function parseDocument(path: string, text: string): () => Document {
  return () => {
    if (text.startsWith('\ufeff')) throw refused(path, 'begins with a byte order mark; save it as UTF-8 without one')
    return /\.toml$/i.test(path) ? readToml(text) : readJsonc(text)
  }
}

/** Runs something that concerns a file, and names the file where it fails. */
export function inFile<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof ConfigError && thrown.file === undefined)
      throw new ConfigError(thrown.problems, { file, cause: thrown.cause })
    throw thrown
  }
}

function unreadable(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
    return 'cannot be read: ENOENT, there is no such file; check the path'
  return `cannot be read: ${cause instanceof Error && 'why' in cause ? String(cause.why) : fileErrorReason(cause)}`
}

const refused = (file: string, message: string): ConfigError => new ConfigError([{ at: '', message, line: 1 }], { file })

export const fileErrorReason = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
