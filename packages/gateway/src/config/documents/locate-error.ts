import { ConfigError } from '../config-error.js'
import { type Document, nearestLine } from './document.js'

/** Errors know the place in the value; the line is found in the text. */
export function withLines(thrown: unknown, document: Document, file: string): unknown {
  if (!(thrown instanceof ConfigError) || thrown.file !== undefined) return thrown
  const problems = thrown.problems.map((one) => ({ ...one, line: one.line ?? lineOf(one.at, document) }))
  return new ConfigError(problems, { file, cause: thrown.cause })
}

const lineOf = (at: string, document: Document): number | undefined => (at === '' ? undefined : nearestLine(document, at))
