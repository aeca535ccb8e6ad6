// Edits the config of the operator or of a host. Every other character of the text stays as it is.
import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import { pointerSegments } from '../documents/document.js'
import { parseDocument, withFileName } from '../documents/read-document.js'
import { findServers, valueAt, type WrittenEntry } from '../servers/find-servers.js'
import { serverIdOf } from '../servers/server-id.js'
import { removeFromJson, setInJson } from './edit-json.js'
import { removeFromToml, setInToml } from './edit-toml.js'
import { maskedDiff } from './masked-diff.js'
import { type FileContent, readContent } from './replace-file.js'

const byteOrderMark = /^\ufeff/

/** Each edit is checked: it changes only the requested value. */
export class ConfigText {
  readonly path: string
  /** The content before the edits; undefined if there is no file. */
  readonly before: FileContent
  readonly #isToml: boolean
  readonly #mark: string
  #text: string

  constructor(path: string, before: FileContent) {
    this.path = path
    this.before = before
    this.#isToml = /\.toml$/i.test(path)
    this.#mark = byteOrderMark.exec(before ?? '')?.[0] ?? ''
    this.#text = (before ?? '').replace(byteOrderMark, '')
  }

  static async open(path: string): Promise<ConfigText> {
    return new ConfigText(path, await readContent(path))
  }

  get text(): string {
    return this.#mark + this.#text
  }

  get isChanged(): boolean {
    return this.text !== (this.before ?? '')
  }

  /** The edits as a diff for people, with secrets masked. */
  get diff(): string {
    return maskedDiff(this.path, this.before ?? '', this.text)
  }

  get value(): JsonObject {
    return this.#read(this.#text)
  }

  get servers(): readonly WrittenEntry[] {
    return withFileName(this.path, () => findServers(this.value))
  }

  /** The path of the object that new servers are added to. */
  get home(): readonly string[] {
    const [first] = this.servers
    return first ? pointerSegments(first.at).slice(0, -1) : [this.#isToml ? 'mcp_servers' : 'mcpServers']
  }

  find(name: string): WrittenEntry | undefined {
    return this.servers.find((one) => one.name === name || serverIdOf(one.name, one.at) === name)
  }

  set(place: readonly string[], value: Json): void {
    if (isDeepStrictEqual(valueAt(this.value, place), value)) return
    this.#change(withValue(this.value, place, value), (text) => {
      if (!this.#isToml) return setInJson(text, place, value)
      return isObject(value) ? setInToml(text, place, value) : text
    })
  }

  /** Replaces an entry, member by member in JSON, so that comments between members stay. */
  replace(place: readonly string[], entry: JsonObject): void {
    const old = valueAt(this.value, place)
    if (this.#isToml || !isObject(old)) this.set(place, entry)
    else
      for (const key of Object.keys({ ...old, ...entry }))
        if (entry[key] === undefined) this.remove([...place, key])
        else this.set([...place, key], entry[key])
  }

  remove(place: readonly string[]): void {
    const cut = this.#isToml ? removeFromToml : removeFromJson
    this.#change(withValue(this.value, place, undefined), (text) => cut(text, place))
  }

  /** Removes a server together with its settings. */
  removeServer({ name, at }: WrittenEntry): void {
    this.remove(pointerSegments(at))
    for (const key of new Set([serverIdOf(name, at), name])) this.remove(['toolwire', 'servers', key])
  }

  #read(text: string): JsonObject {
    return text.trim() === '' ? {} : parseDocument(this.path, text).value
  }

  /** Applies an edit; refuses a text that would change more than intended. */
  #change(wanted: Json, edit: (text: string) => string): void {
    const text = withFileName(this.path, () => edit(this.#text))
    if (!isDeepStrictEqual(tidy(this.#read(text)), tidy(wanted))) {
      const message = 'cannot be changed without side effects on other entries; change it by hand'
      throw new ConfigError([{ at: '', message }], { file: this.path })
    }
    this.#text = text
  }
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

/** Drops empty objects, because an edit of TOML may leave no trace of an empty table. */
function tidy(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, tidy(item)] as const)
  return Object.fromEntries(entries.filter(([, item]) => !isObject(item) || Object.keys(item).length > 0))
}
