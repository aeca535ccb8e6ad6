// Servers are added, changed and taken out in the file of the operator: all else in it stays to the letter, and the old file is kept.
import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { pointerSegments } from '../documents/document.js'
import { inFile, parseDocument } from '../documents/read-document.js'
import { findServers } from '../servers/find-servers.js'
import { readEntry } from '../servers/read-entry.js'
import { serverIdOf } from '../servers/server-id.js'
import { removeFromJson, setInJson } from './edit-json.js'
import { removeFromToml, setInToml } from './edit-toml.js'
import { maskedDiff } from './masked-diff.js'
import { readContent, replaceWithBackup } from './replace-file.js'

export type EditOptions = {
  /** Says what would be written, and writes nothing. */
  readonly dryRun?: boolean
  /** Throws where the new text, and what it comes of, is not to be written. */
  readonly check?: (edit: Pick<ConfigEdit, 'before' | 'text'>) => Promise<void>
  readonly now?: () => Date
}

export type ConfigEdit = {
  readonly path: string
  /** What the file said, and what it says now. */
  readonly before: string
  readonly text: string
  /** For people; secrets are taken out. */
  readonly diff: string
  readonly changed: boolean
  /** Where the old file is kept; undefined where there was none, or nothing was written. */
  readonly backup: string | undefined
}

/** A server as it stands in the file. */
type WrittenServer = { readonly name: string; readonly entry: JsonObject }

export const addServer = (path: string, name: string, entry: JsonObject, options?: EditOptions): Promise<ConfigEdit> =>
  edit(path, options, (file) => {
    const id = serverIdOf(name, '')
    if (file.find(id)) throw problem('', `there is a server ${JSON.stringify(id)} already; change it, or choose another name`)
    file.set([...file.home, name], checked(name, entry))
  })

export const changeServer = (path: string, name: string, entry: JsonObject, options?: EditOptions): Promise<ConfigEdit> =>
  edit(path, options, (file) => {
    const { place, value } = file.known(name)
    checked(name, entry)
    if (file.isToml) return file.set(place, entry)
    // Member by member: comments between them stay.
    for (const key of Object.keys(value)) if (entry[key] === undefined) file.remove([...place, key])
    for (const [key, item] of Object.entries(entry)) if (item !== undefined) file.set([...place, key], item)
  })

/** With what the settings say about it, which would be about nothing. */
export const removeServer = (path: string, name: string, options?: EditOptions): Promise<ConfigEdit> =>
  edit(path, options, (file) => {
    const { place, name: written } = file.known(name)
    file.remove(place)
    for (const key of new Set([serverIdOf(written, ''), written])) file.remove(['toolwire', 'servers', key])
  })

/** One server, by its id or its name; undefined where the file has none of this name. */
export async function serverIn(path: string, name: string): Promise<WrittenServer | undefined> {
  const text = (await readContent(path)) ?? ''
  const found = inFile(path, () => new ConfigText(path, text.replace(placeholder, '')).find(name))
  return found && { name: found.name, entry: found.value }
}

const placeholder = /^\ufeff/

async function edit(path: string, options: EditOptions = {}, change: (file: ConfigText) => void): Promise<ConfigEdit> {
  const { dryRun = false, now = () => new Date(), check } = options
  const before = await readContent(path)
  const file = new ConfigText(path, (before ?? '').replace(placeholder, ''))
  inFile(path, () => change(file))
  const text = (placeholder.exec(before ?? '')?.[0] ?? '') + file.text
  const changed = text !== (before ?? '')
  await check?.({ before: before ?? '', text })
  const diff = maskedDiff(path, before ?? '', text)
  const done = { path, before: before ?? '', text, diff, changed }
  if (!changed || dryRun) return { ...done, backup: undefined }
  return { ...done, backup: await replaceWithBackup(path, before, text, now()) }
}

type Found = { readonly name: string; readonly place: readonly string[]; readonly value: JsonObject }

/** The text of the file while it is changed; each step says the same as before, but for what was asked. */
class ConfigText {
  readonly isToml: boolean
  readonly #path: string
  text: string

  constructor(path: string, text: string) {
    this.#path = path
    this.isToml = /\.toml$/i.test(path)
    this.text = text
  }

  /** Where servers stand in it. */
  get home(): readonly string[] {
    const [first] = findServers(this.#value)
    return first ? pointerSegments(first.at).slice(0, -1) : [this.isToml ? 'mcp_servers' : 'mcpServers']
  }

  find(name: string): Found | undefined {
    const found = findServers(this.#value).find((one) => one.name === name || serverIdOf(one.name, one.at) === name)
    return found && { name: found.name, place: pointerSegments(found.at), value: found.value }
  }

  known(name: string): Found {
    const found = this.find(name)
    if (!found) throw problem('', `there is no server ${JSON.stringify(name)} in this file; it may come from another one`)
    return found
  }

  set(place: readonly string[], value: Json): void {
    const wanted = withValue(this.#value, place, value)
    if (!this.isToml) this.#take(setInJson(this.text, place, value), wanted)
    else if (isObject(value)) this.#take(setInToml(this.text, place, value), wanted)
  }

  remove(place: readonly string[]): void {
    const wanted = withValue(this.#value, place, undefined)
    this.#take(this.isToml ? removeFromToml(this.text, place) : removeFromJson(this.text, place), wanted)
  }

  get #value(): JsonObject {
    return this.#read(this.text)
  }

  #read(text: string): JsonObject {
    return text.trim() === '' ? {} : parseDocument(this.#path, text)().value
  }

  /** Refuses a text that would change more than intended. */
  #take(text: string, wanted: Json): void {
    if (!isDeepStrictEqual(tidy(this.#read(text)), tidy(wanted)))
      throw problem('', 'could not be changed without changing more than this server; change it by hand')
    this.text = text
  }
}

/** A server that could be read as it is. */
function checked(name: string, entry: JsonObject): JsonObject {
  readEntry({ name, at: '', value: entry })
  return entry
}

function withValue(value: JsonObject, [key = '', ...rest]: readonly string[], item: Json | undefined): JsonObject {
  if (rest.length > 0) {
    const inner = Object.hasOwn(value, key) ? value[key] : undefined
    if (item === undefined && !isObject(inner)) return value
    return { ...value, [key]: withValue(isObject(inner) ? inner : {}, rest, item) }
  }
  const { [key]: _, ...others } = value
  return item === undefined ? others : { ...value, [key]: item }
}

/** Of TOML nothing is left of a table without members; that is no difference. */
function tidy(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, tidy(item)] as const)
  return Object.fromEntries(entries.filter(([, item]) => !isObject(item) || Object.keys(item).length > 0))
}
