import type { Json, JsonObject } from 'toolwire'
import { schemas } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { readToml, type TomlHeader } from '../documents/toml.js'
import { valueAt } from '../servers/find-servers.js'

/** Sets a table in a TOML text, and leaves every other character as it is. */
export function setInToml(text: string, path: readonly string[], value: JsonObject): string {
  const document = readToml(text)
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const table = written(path, value).join(line) + line
  const index = document.headers.findIndex(({ keys }) => isWithin(keys, path))
  if (index === -1) {
    refuseInline(document, path)
    return `${text}${text === '' || text.endsWith('\n') ? '' : line}${text.trim() === '' ? '' : line}${table}`
  }
  return spliced(text, document.headers, path, table)
}

/** Removes the tables of a place, and leaves every other character as it is, including comments between tables. */
export function removeFromToml(text: string, path: readonly string[]): string {
  const document = readToml(text)
  if (document.headers.some(({ keys }) => isWithin(keys, path))) return spliced(text, document.headers, path, '')
  refuseInline(document, path)
  return text
}

/** Removes the tables of the place, and inserts the new one where the first of them was. */
function spliced(text: string, headers: readonly TomlHeader[], path: readonly string[], table: string): string {
  const pieces: string[] = [text.slice(0, headers[0]?.start)]
  let isWritten = false
  for (const [index, { keys, start }] of headers.entries()) {
    const piece = text.slice(start, headers[index + 1]?.start)
    if (!isWithin(keys, path)) pieces.push(piece)
    else {
      const rest = trailing(piece)
      const isBetweenOurs = isWithin(headers[index + 1]?.keys ?? [], path) && rest.trim() === ''
      pieces.push(isWritten ? '' : table, isBetweenOurs ? '' : rest)
      isWritten = true
    }
  }
  return pieces.join('')
}

/** Blank lines and comments at the end of a table belong to what comes after it. */
function trailing(piece: string): string {
  const lines = piece.split(/(?<=\n)/)
  let from = lines.length
  while (from > 1 && /^\s*(#.*)?\s*$/.test(lines[from - 1] ?? '')) from--
  return lines.slice(from).join('')
}

const isWithin = (keys: readonly string[], path: readonly string[]): boolean => path.every((key, index) => keys[index] === key)

/** Refuses a value in braces or dotted keys, because an edit would have to rewrite it, comments included. */
function refuseInline(document: ReturnType<typeof readToml>, path: readonly string[]): void {
  const outer = document.value[path[0] ?? '']
  const isOpen = outer === undefined || document.headers.some(({ keys }) => keys[0] === path[0])
  if (isOpen && valueAt(document.value, path) === undefined) return
  const line = schemas.nearestLine(schemas.toPointer(path), document.lineOf)
  throw problem('', `this table is written in braces or dotted keys; write it as [${path.join('.')}], and try again`, line)
}

function written(path: readonly string[], value: JsonObject): string[] {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const plain = entries.filter(([, item]) => !isObject(item))
  const tables = entries.flatMap(([key, item]) => (isObject(item) ? ['', ...written([...path, key], item)] : []))
  return [`[${path.map(keyOf).join('.')}]`, ...plain.map(([key, item]) => `${keyOf(key)} = ${valueIn(item)}`), ...tables]
}

const keyOf = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))

/** JSON strings are valid TOML strings, except for U+007F. */
function valueIn(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(valueIn).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
