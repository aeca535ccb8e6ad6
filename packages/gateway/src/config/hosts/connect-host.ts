import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { ConfigError } from '../config-error.js'
import { pointerSegments } from '../documents/document.js'
import { inFile, parseDocument } from '../documents/read-document.js'
import { removeFromJson, setInJson } from '../editing/edit-json.js'
import { removeFromToml, setInToml } from '../editing/edit-toml.js'
import { maskedDiff } from '../editing/masked-diff.js'
import { readContent, replaceWithBackup } from '../editing/replace-file.js'
import type { HostFile } from './find-hosts.js'
import type { Host, HostTarget } from './host.js'

/** What connecting a host changes. */
export type HostConnection = {
  readonly file: HostFile
  readonly text: string
  /** For people; secrets are taken out. */
  readonly diff: string
  readonly changed: boolean
  /** Where the old file is kept; undefined where there was none, or nothing was written. */
  readonly backup: string | undefined
}

/** How it is done. */
export type ConnectHostOptions = {
  /** Says what would be written, and writes nothing. */
  readonly dryRun?: boolean
  /** Under which name the host sees the gateway. */
  readonly name?: string
  /** JSON pointers to entries that go. */
  readonly remove?: readonly string[]
  readonly now?: () => Date
}

/** Writes the gateway into the config of a host. All else in the file stays to the letter, and the old file is kept beside it. */
export async function connectHost(
  file: HostFile,
  gateway: HostTarget,
  options: ConnectHostOptions = {},
): Promise<HostConnection> {
  const { name = 'toolwire', dryRun = false, remove = [], now = () => new Date() } = options
  const before = await readContent(file.path)
  const change = { name, entry: entryFor(file.host, gateway), remove }
  const text = inFile(file.path, () => connected(before ?? '', file, change))
  const changed = text !== before
  const diff = maskedDiff(file.path, before ?? '', text)
  if (!changed || dryRun) return { file, text, diff, changed, backup: undefined }
  const backup = await replaceWithBackup(file.path, before, text, now())
  return { file, text, diff, changed, backup }
}

function entryFor(host: Host, gateway: HostTarget): JsonObject {
  if ('url' in gateway) {
    const entry = host.remote(gateway.url, gateway.headers && { ...gateway.headers })
    if (!entry)
      throw new ConfigError([
        { at: '', message: `${host.title} only starts servers as commands; connect it with a command, not an address` },
      ])
    return entry
  }
  const { command, args = [], env } = gateway
  return host.child({ command, args: [...args], ...(env && { env: { ...env } }) })
}

/** The text without the entry that a JSON pointer leads to. */
export function withoutEntry(text: string, { format }: Pick<Host, 'format'>, at: string): string {
  return format === 'toml' ? removeFromToml(text, pointerSegments(at)) : removeFromJson(text, pointerSegments(at))
}

type Change = { readonly name: string; readonly entry: JsonObject; readonly remove: readonly string[] }

function connected(before: string, { host, path }: HostFile, { name, entry, remove }: Change): string {
  const { 1: mark = '', 2: text = '' } = /^(\ufeff?)([\s\S]*)$/.exec(before) ?? []
  const read = (source: string): JsonObject => (source.trim() === '' ? {} : parseDocument(path, source)().value)
  const old = read(text)
  const cleared = remove.reduce((left, at) => withoutEntry(left, host, at), text)
  const left = remove.reduce((value, at) => without(value, pointerSegments(at)), old)
  if (remove.length === 0 && isDeepStrictEqual(entryOf(old, host, name), entry)) return before
  const place = [host.key, name]
  const after = host.format === 'toml' ? setInToml(cleared, place, entry) : setInJson(cleared, place, entry)
  // Write the new text only if it differs from the old one by our entry alone.
  if (!isDeepStrictEqual(read(after), withEntry(left, host, name, entry)))
    throw new ConfigError([{ at: '', message: 'cannot be changed without side effects on other entries; add the entry by hand' }])
  return mark + after
}

function entryOf(config: JsonObject, { key }: Host, name: string): Json | undefined {
  const servers = Object.hasOwn(config, key) ? config[key] : undefined
  return isObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined
}

function without(value: JsonObject, [key = '', ...deeper]: readonly string[]): JsonObject {
  const inner = value[key]
  if (deeper.length > 0) return isObject(inner) ? { ...value, [key]: without(inner, deeper) } : value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}

function withEntry(config: JsonObject, { key }: Host, name: string, entry: JsonObject): JsonObject {
  const servers = Object.hasOwn(config, key) ? config[key] : {}
  return { ...config, [key]: { ...(isObject(servers) && servers), [name]: entry } }
}
