// A server as form fields and as an entry of the config.
import { parseJson } from '../../../toolwire/src/json/parse.js'
import { isObject } from '../../../toolwire/src/json/value.js'
import type { Json, JsonObject } from '../api/types.js'

export type ServerForm = {
  readonly name: string
  readonly kind: 'program' | 'address'
  readonly command: string
  /** One per line. */
  readonly args: string
  /** `NAME=value`, one per line. */
  readonly env: string
  readonly url: string
  /** `Name: value`, one per line. */
  readonly headers: string
}

export const emptyServerForm: ServerForm = { name: '', kind: 'program', command: '', args: '', env: '', url: '', headers: '' }

/** The form for an entry of the config; undefined if the entry has another format, which must be edited as JSON. */
export function serverFormOf(name: string, entry: JsonObject): ServerForm | undefined {
  const { command, args = [], env = {}, url, headers = {} } = entry
  const isPlain = isTexts(args) && isObject(env) && isObject(headers) && isOneLineEach(env) && isOneLineEach(headers)
  if (!isPlain || (typeof command !== 'string') === (typeof url !== 'string')) return undefined
  return {
    name,
    kind: typeof command === 'string' ? 'program' : 'address',
    command: typeof command === 'string' ? command : '',
    args: args.join('\n'),
    env: written(env, '='),
    url: typeof url === 'string' ? url : '',
    headers: written(headers, ': '),
  }
}

const written = (record: JsonObject, between: string): string =>
  Object.entries(record)
    .map(([name, value]) => `${name}${between}${String(value)}`)
    .join('\n')

/** A line break would begin another entry in the form. */
const isOneLineEach = (record: JsonObject): boolean =>
  !Object.entries(record)
    .flat()
    .some((text) => /[\r\n]/.test(String(text)))

const own = ['command', 'args', 'env', 'url', 'headers']

/** The entry for a form; keeps the other properties of the entry before. */
export function serverEntryOf(form: ServerForm, before: JsonObject = {}): JsonObject {
  const rest = Object.fromEntries(Object.entries(before).filter(([key]) => !own.includes(key)))
  if (form.kind === 'address')
    return { ...rest, url: form.url.trim(), ...some('headers', recordIn(form.headers, /^([^:]*?)[ \t]*:[ \t]*(.*)$/)) }
  const args = linesOf(form.args)
  return {
    ...rest,
    command: form.command.trim(),
    ...(args.length > 0 && { args }),
    ...some('env', recordIn(form.env, /^([^=]*)=(.*)$/)),
  }
}

export function entryIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the form reports it
  }
}

/** The errors by field; none if the entry can be previewed. */
export function serverFormErrors({ name, kind, command, url, env, headers }: ServerForm): {
  readonly [field in keyof ServerForm]?: string
} {
  const lines = kind === 'program' ? linesOf(env).filter((line) => !/^[^=\s]+=/.test(line)) : []
  const odd = kind === 'address' ? linesOf(headers).filter((line) => !/^[^:\s]+\s*:/.test(line)) : []
  return {
    ...(!/[a-z0-9]/i.test(name) && { name: 'Enter a name with letters or digits.' }),
    ...(kind === 'program' && command.trim() === '' && { command: 'Enter the program to start.' }),
    ...(kind === 'address' &&
      !/^https?:\/\/\S+$/.test(url.trim()) && { url: 'Enter an address that begins with http:// or https://.' }),
    ...(lines.length > 0 && { env: 'Write one NAME=value per line' }),
    ...(odd.length > 0 && { headers: 'Write one Name: value per line' }),
  }
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '')

const recordIn = (text: string, pattern: RegExp): { [name: string]: string } =>
  Object.fromEntries(
    linesOf(text).flatMap((line) => {
      const { 1: name, 2: value } = pattern.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name.trim(), value]]
    }),
  )

const some = (key: string, record: { readonly [name: string]: string }): JsonObject =>
  Object.keys(record).length > 0 ? { [key]: record } : {}

const isTexts = (value: Json): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes('\n') && one.trim() !== '')
