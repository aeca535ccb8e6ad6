import { machine, schemas } from 'toolwire/relay'
import { ConfigError, problem } from '../config-error.js'
import { type Document, documentLimits } from './document.js'
import { readJsonc } from './jsonc.js'
import { readToml } from './toml.js'

/** Reads a text file; refuses a file that is missing, too large or not UTF-8. */
export const readTextFile = (path: string, bytes: number = documentLimits.bytes): Promise<string> =>
  machine.readRegularText(path, bytes).catch((cause: unknown) => {
    throw new ConfigError([{ at: '', message: unreadable(cause) }], { file: path, cause })
  })

/** Reads a file that a config refers to; `at` is the place in the config that names it. */
export const readNamedFile = (path: string, at: string): Promise<string> =>
  readTextFile(path).catch((thrown: unknown) => {
    throw thrown instanceof ConfigError ? problem(at, thrown.message) : thrown
  })

/** Parses a config: TOML if the file name ends in .toml, otherwise JSON with comments. */
export function parseDocument(path: string, text: string): Document {
  return withFileName(path, () => {
    if (text.startsWith('\ufeff')) throw refused(path, 'begins with a byte order mark; save it as UTF-8 without one')
    return /\.toml$/i.test(path) ? readToml(text) : readJsonc(text)
  })
}

/** Adds the file, and the line of each problem, to a ConfigError that names no file yet. */
export function withLines(thrown: unknown, document: Document, file: string): unknown {
  if (!(thrown instanceof ConfigError) || thrown.file !== undefined) return thrown
  const lineOf = (at: string) => (at === '' ? undefined : schemas.nearestLine(at, document.lineOf))
  const problems = thrown.problems.map((one) => ({ ...one, line: one.line ?? lineOf(one.at) }))
  return new ConfigError(problems, { file, cause: thrown.cause })
}

/** Runs a function, and adds the file to a ConfigError that names none. */
export function withFileName<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof ConfigError && thrown.file === undefined)
      throw new ConfigError(thrown.problems, { file, cause: thrown.cause })
    throw thrown
  }
}

/** Describes why a file cannot be read, without its path. */
export function unreadable(cause: unknown): string {
  return `cannot be read: ${cause instanceof Error && 'why' in cause ? String(cause.why) : fileErrorReason(cause)}`
}

const refused = (file: string, message: string): ConfigError => new ConfigError([{ at: '', message, line: 1 }], { file })

export function fileErrorReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const isMissing = 'code' in thrown && thrown.code === 'ENOENT'
  return isMissing ? 'ENOENT, there is no such file; check the path' : thrown.message
}
