import { resolve } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import { parseJson } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { ownMember } from '../../json/own-member.js'
import { usageProblem } from '../command.js'
import { objectIn } from '../json-members.js'
import { readValue } from './read-value.js'

/** Further sources of arguments: one JSON object with all of them, and the folder for relative paths. */
type ArgumentSources = { readonly input?: string | undefined; readonly cwd: string }

/** The typed arguments as JSON values. The schema decides how texts are read. */
export async function readArguments(words: readonly string[], schema: JsonObject, sources: ArgumentSources): Promise<JsonObject> {
  const properties = objectIn(schema, 'properties')
  const whole = sources.input === undefined ? {} : await wholeInput(sources.input, sources.cwd)
  const meant = (one: TypedArgument) => meantBy(one, ownMember(properties, one.name), sources.cwd)
  const single = await Promise.all(parseArguments(words).map(async (one) => [one.name, await meant(one)] as const))
  return Object.fromEntries([...Object.entries(whole), ...single])
}

async function meantBy({ name, form, text }: TypedArgument, schema: Json | undefined, cwd: string): Promise<Json> {
  if (form === 'json') return parsed(text, name)
  if (form === 'json-file') return parsed(await textOfFile(text, cwd), `${name} in ${text}`)
  const found = readValue(form === 'text-file' ? await textOfFile(text, cwd) : text, schema)
  if ('wrong' in found) throw usageProblem(`${name} ${found.wrong}`)
  return found.value
}

async function wholeInput(given: string, cwd: string): Promise<JsonObject> {
  const text = given === '-' ? await stdin() : given.startsWith('@') ? await textOfFile(given.slice(1), cwd) : given
  const value = parsed(text, 'the arguments')
  if (!isObject(value)) throw usageProblem('The arguments must be a JSON object, such as {"a":1}')
  return value
}

function parsed(text: Uint8Array | string, what: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw usageProblem(`The JSON of ${what} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
}

const largestInput = 64 * 1024 * 1024

export async function textOfFile(path: string, cwd: string): Promise<string> {
  const { machine } = await import('toolwire/relay')
  try {
    return await machine.readRegularText(resolve(cwd, path), largestInput)
  } catch (cause) {
    if (cause instanceof Error && cause.cause instanceof TypeError)
      throw usageProblem(`The file ${path} is not text. Encode it first`)
    const why = cause instanceof Error && 'why' in cause ? cause.why : 'cannot be read. Check the path'
    throw usageProblem(`The file ${path} ${why}`)
  }
}

async function stdin(): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of process.stdin) {
    bytes += piece.length
    if (bytes > largestInput) throw usageProblem(`stdin has more than ${largestInput} bytes. Pass smaller arguments`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export type TypedArgument = {
  readonly name: string
  /** Text that is read by the schema, JSON, or a file with either. */
  readonly form: 'text' | 'json' | 'text-file' | 'json-file'
  /** The value, or the path of the file. */
  readonly text: string
}

/** Reads `name=value`, `name:=json`, `name=@file`, `name:=@file`; `name=@@text` is text that begins with an @. */
export function parseArgument(word: string): TypedArgument {
  const at = word.indexOf('=')
  const isJson = at > 0 && word[at - 1] === ':'
  const name = word.slice(0, isJson ? at - 1 : at)
  if (at === -1 || name === '') throw usageProblem(`"${word}" is not an argument. Write name=value, name:=json or name=@file`)
  const value = word.slice(at + 1)
  if (isJson)
    return value.startsWith('@') ? { name, form: 'json-file', text: value.slice(1) } : { name, form: 'json', text: value }
  if (value.startsWith('@@')) return { name, form: 'text', text: value.slice(1) }
  return value.startsWith('@') ? { name, form: 'text-file', text: value.slice(1) } : { name, form: 'text', text: value }
}

/** Parses all arguments; refuses a name that is given twice. */
export function parseArguments(words: readonly string[]): TypedArgument[] {
  const all = words.map(parseArgument)
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index)
  if (twice) throw usageProblem(`"${twice.name}" is given twice`)
  return all
}
