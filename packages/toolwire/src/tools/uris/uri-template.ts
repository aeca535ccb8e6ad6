import { percentDecoded } from '../../text/percent-decoded.js'
import { definitionError } from '../checks/definition-error.js'
import { type Capture, matchCost, matchParts, partsOf } from './match-template.js'
import { type Piece, readPieces } from './template-expression.js'
import { hasDotDotSegment } from './traversal.js'

/**
 * A URI template of RFC 6570, ready to match.
 *
 * A match gives the text of each variable. Code that maps variables to files must still check that the path lies inside its base,
 * with symbolic links resolved. As a second line of defense, `file:` URIs with a `..` segment never match.
 */
export type UriTemplate = ReturnType<typeof parseTemplate>

// Longer than any real URI, and short enough that a match takes well under a millisecond per variable.
const longestUri = 65_536
// More than any real template, and few enough to bound the time and memory that a hostile one takes.
const longestTemplate = 2_048
const mostVariables = 32

/** Parses a template; throws a DefinitionError that names the fault. */
export function parseTemplate(template: string) {
  if (template.length > longestTemplate) throw tooLarge(template, `is longer than ${longestTemplate} characters`)
  const pieces = readPieces(template)
  const count = pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? 0 : piece.variables.length), 0)
  if (count > mostVariables) throw tooLarge(template, `has ${count} variables, and may have ${mostVariables}`)
  const parts = partsOf(pieces)
  const weight = matchCost(parts)
  const [start, end] = [literal(pieces.at(0)), literal(pieces.at(-1))]
  return {
    template,
    variables: namesIn(pieces),
    /** The percent-decoded variables of a URI; undefined if the URI does not match. */
    match: (uri: string): Record<string, string> | undefined => {
      if (uri.length > longestUri || !uri.startsWith(start) || !uri.endsWith(end)) return undefined
      const captures = matchParts(parts, uri)
      return captures && readVariables(captures, uri)
    },
    /** The number of steps that a match would take; 0 if the URI clearly does not match. */
    stepsFor: (uri: string): number =>
      uri.length <= longestUri && uri.startsWith(start) && uri.endsWith(end) ? weight * (uri.length + 1) : 0,
  }
}

const tooLarge = (template: string, why: string) =>
  definitionError(`The URI template ${template.slice(0, 64)}… ${why}; split it into several templates`)

const literal = (piece: Piece | undefined): string => (typeof piece === 'string' ? piece : '')

const namesIn = (pieces: readonly Piece[]): string[] => [
  ...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.variables.map(({ name }) => name)))),
]

function readVariables(captures: readonly Capture[], uri: string): Record<string, string> | undefined {
  const isFile = /^file:/i.test(uri)
  if (isFile && hasDotDotSegment(uri.slice('file:'.length))) return undefined
  const found = new Map<string, string>()
  for (const capture of wholeFirst(captures)) {
    const value = percentDecoded(capture.raw)
    if (value === undefined || value.includes('\0') || (isFile && hasDotDotSegment(value))) return undefined
    const agreed = agree(found.get(capture.variable.name), value, capture)
    if (agreed === undefined) return undefined
    found.set(capture.variable.name, agreed)
  }
  return Object.fromEntries(found)
}

// `{name:1}/{name}` has the same name twice. The whole value counts, and the shortened one must be its prefix.
const wholeFirst = (captures: readonly Capture[]): readonly Capture[] =>
  captures.toSorted((a, b) => Number(a.variable.prefix !== undefined) - Number(b.variable.prefix !== undefined))

function agree(known: string | undefined, value: string, { variable: { prefix, explode } }: Capture): string | undefined {
  if (prefix !== undefined && [...value].length > prefix) return undefined
  if (known === undefined || known === value) return value
  if (prefix !== undefined) return known.startsWith(value) ? known : undefined
  return explode ? `${known},${value}` : undefined
}
