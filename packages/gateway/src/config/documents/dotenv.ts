import { problem } from '../config-error.js'

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/
const longest = 100_000

/** Reads a file of variables: NAME=value, quotes of three kinds, values over several lines within quotes, comments. */
export function readDotenv(text: string): { [name: string]: string } {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/, longest + 1)
  if (lines.length > longest) throw problem('', `has more than ${longest} lines; remove those that no server needs`)
  const variables = new Map<string, string>()
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^[ \t]*(#|$)/.test(line)) continue
    const found = assignment.exec(line)
    if (!found?.[1]) throw problem('', 'this line is neither NAME=value nor a comment with #', index + 1)
    const { value, last } = valueFrom(lines, index, line.slice(found[0].length))
    variables.set(found[1], value)
    index = last
  }
  return Object.fromEntries(variables)
}

type Read = { readonly value: string; readonly last: number }

function valueFrom(lines: readonly string[], first: number, rest: string): Read {
  const quote = rest[0]
  if (quote !== '"' && quote !== "'" && quote !== '`') return { value: plain(rest), last: first }
  const pieces: string[] = []
  let piece = rest.slice(1)
  for (let last = first; ; ) {
    const end = closing(piece, quote)
    if (end !== -1) return { value: unescaped([...pieces, piece.slice(0, end)].join('\n'), quote), last }
    pieces.push(piece)
    const next = lines[++last]
    if (next === undefined) throw problem('', `the value that begins here lacks its closing ${quote}`, first + 1)
    piece = next
  }
}

/** A # after a space begins a comment. */
function plain(rest: string): string {
  const comment = /(?:^|[ \t])#/.exec(rest)
  return rest.slice(0, comment?.index).trim()
}

function closing(text: string, quote: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === quote) return at
    if (quote === '"' && text[at] === '\\') at++
  }
  return -1
}

const escapes: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }

const unescaped = (text: string, quote: string): string =>
  quote === '"' ? text.replace(/\\([\s\S])/g, (whole, letter: string) => escapes[letter] ?? whole) : text
