// The file format of recorded conversations: one line per message, and prose between them.
//   # prose; the first line is the title, `# with pageSize 2` sets an option of the server, `# mistaken client` permits invalid client messages
//   > a message of the client without its implicit members: jsonrpc, and the repeated `_meta` of per-request revisions
//   >> text that the client sends unchanged
//   < a message of the server; "*" matches any value, and any word inside of a longer text
// In a message of the client, "*name" is replaced by the value that the server last sent under this name.
import { readFileSync } from 'node:fs'
import type { Json } from 'toolwire'

export type Line = { readonly kind: '#' | '>' | '>>' | '<'; readonly text: string }
export type Script = {
  readonly file: URL
  readonly title: string
  readonly lines: readonly Line[]
  readonly mistaken: boolean
  readonly pageSize: number | undefined
}

export function readScript(file: URL): Script {
  const written = readFileSync(file, 'utf8').split('\n')
  const lines = written.filter((line) => line.trim() !== '').map(readLine)
  const prose = lines.flatMap(({ kind, text }) => (kind === '#' ? [text] : []))
  const [title] = prose
  if (title === undefined) throw new Error(`${file.pathname} has no title`)
  const size = prose.map((line) => /^with pageSize (\d+)$/.exec(line)?.[1]).find((found) => found !== undefined)
  return { file, title, lines, mistaken: prose.includes('mistaken client'), pageSize: size ? Number(size) : undefined }
}

function readLine(line: string): Line {
  const [, kind, text] = /^(#|>>|>|<) (.*)$/.exec(line) ?? []
  if (kind === undefined || text === undefined) throw new Error(`Not a line of a conversation: ${line}`)
  return { kind: kind as Line['kind'], text } // the pattern has matched
}

const isObject = (value: Json | undefined): value is { [key: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The received value, with "*" in every place where the expected value has a wildcard. */
export function starred(expected: Json | undefined, came: Json): Json {
  if (typeof expected === 'string' && expected.includes('*')) return fits(expected, came) ? expected : came
  if (Array.isArray(expected) && Array.isArray(came)) return came.map((one, at) => starred(expected[at], one))
  if (!isObject(expected) || !isObject(came)) return came
  return Object.fromEntries(Object.entries(came).map(([key, value]) => [key, starred(expected[key], value as Json)])) // it was parsed from JSON
}

function fits(pattern: string, came: Json): boolean {
  if (pattern === '*') return true
  const pieces = pattern.split('*').map((piece) => piece.replace(/[^\w ]/g, '\\$&'))
  return typeof came === 'string' && new RegExp(`^${pieces.join('\\w+')}$`).test(came)
}

/** The value that was last sent under a name, at any depth of a message. */
export function lastUnder(name: string, messages: readonly Json[]): Json | undefined {
  for (const message of [...messages].reverse()) {
    const found = under(name, message)
    if (found !== undefined) return found
  }
  return undefined
}

function under(name: string, value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((one) => under(name, one)).find((found) => found !== undefined)
  if (!isObject(value)) return undefined
  return value[name] ?? under(name, Object.values(value) as Json[])
}

/** Replaces "*name" by the value that the server has sent under this name. */
export function filledIn(value: Json, received: readonly Json[]): Json {
  if (typeof value === 'string' && /^\*\w+$/.test(value)) return lastUnder(value.slice(1), received) ?? value
  if (Array.isArray(value)) return value.map((one) => filledIn(one, received))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one as Json, received)])) // it was parsed from JSON
}
