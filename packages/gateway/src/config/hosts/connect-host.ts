import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { ConfigError } from '../config-error.js'
import { isObject } from '../documents/document.js'
import { parseDocument, within } from '../documents/read-document.js'
import { Secrets } from '../secrets.js'
import { namedWord } from '../servers/upstream.js'
import { setInJson } from './edit-json.js'
import { setInToml } from './edit-toml.js'
import type { HostFile } from './find-hosts.js'
import type { Gateway, Host } from './host.js'
import { contentOf, modeOf, replaceFile, write } from './replace-file.js'
import { textDiff } from './text-diff.js'

/** What connecting a host changes. */
export type Connection = {
  readonly file: HostFile
  readonly text: string
  /** For people; secrets are taken out. */
  readonly diff: string
  readonly changed: boolean
  /** Where the old file is kept; undefined where there was none, or nothing was written. */
  readonly backup: string | undefined
}

/** How it is done. */
export type ConnectOptions = {
  /** Says what would be written, and writes nothing. */
  readonly dryRun?: boolean
  /** Under which name the host sees the gateway. */
  readonly name?: string
  readonly now?: () => Date
}

/** Writes the gateway into the config of a host. All else in the file stays to the letter, and the old file is kept beside it. */
export async function connectHost(file: HostFile, gateway: Gateway, options: ConnectOptions = {}): Promise<Connection> {
  const { name = 'toolwire', dryRun = false, now = () => new Date() } = options
  const before = await contentOf(file.path)
  const text = within(file.path, () => connected(before ?? '', file, { name, entry: entryFor(file.host, gateway) }))
  const changed = text !== before
  const diff = maskedDiff(before ?? '', text, file)
  if (!changed || dryRun) return { file, text, diff, changed, backup: undefined }
  const backup = before === undefined ? undefined : await keep(file.path, before, now())
  await replaceFile(file.path, before, text)
  return { file, text, diff, changed, backup }
}

function entryFor(host: Host, gateway: Gateway): JsonObject {
  if ('url' in gateway) {
    const entry = host.remote(gateway.url, gateway.headers && { ...gateway.headers })
    if (!entry)
      throw new ConfigError([
        { at: '', message: `${host.title} starts its servers itself; connect it by a command, not by an address` },
      ])
    return entry
  }
  const { command, args = [], env } = gateway
  return host.child({ command, args: [...args], ...(env && { env: { ...env } }) })
}

type Change = { readonly name: string; readonly entry: JsonObject }

function connected(before: string, { host, path }: HostFile, { name, entry }: Change): string {
  const { 1: mark = '', 2: text = '' } = /^(\ufeff?)([\s\S]*)$/.exec(before) ?? []
  const read = (source: string): JsonObject => (source.trim() === '' ? {} : parseDocument(path, source)().value)
  const old = read(text)
  if (isDeepStrictEqual(entryOf(old, host, name), entry)) return before
  const after = host.format === 'toml' ? setInToml(text, [host.key, name], entry) : setInJson(text, [host.key, name], entry)
  // Whatever is odd about the text: nothing is written unless it says the same as before and our entry.
  if (!isDeepStrictEqual(read(after), withEntry(old, host, { name, entry })))
    throw new ConfigError([{ at: '', message: 'could not be changed without changing more than our entry; add it by hand' }])
  return mark + after
}

function entryOf(config: JsonObject, { key }: Host, name: string): Json | undefined {
  const servers = Object.hasOwn(config, key) ? config[key] : undefined
  return isObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined
}

function withEntry(config: JsonObject, { key }: Host, { name, entry }: Change): JsonObject {
  const servers = Object.hasOwn(config, key) ? config[key] : {}
  return { ...config, [key]: { ...(isObject(servers) && servers), [name]: entry } }
}

/** The name says when: `mcp.json.2026-01-31T12-00-00-000Z.bak`. */
export async function keep(path: string, text: string, now: Date): Promise<string> {
  const backup = `${path}.${now.toISOString().replace(/[:.]/g, '-')}.bak`
  await write(backup, text, await modeOf(path))
  return backup
}

export function maskedDiff(before: string, after: string, { path }: Pick<HostFile, 'path'>): string {
  const secrets = new Secrets()
  for (const text of [before, after])
    if (text.trim() !== '') noteTexts(parseDocument(path, text.replace(/^\ufeff/, ''))().value, '', secrets)
  return secrets.mask(textDiff(before, after))
}

const secretPlaces = /^(env|environment|headers|http_headers)$/

/** The values of variables and headers, and what looks like a secret anywhere else. */
function noteTexts(value: Json | undefined, name: string, secrets: Secrets, isSecret = false): void {
  if (typeof value === 'string' && isSecret) secrets.header(name, value)
  else if (typeof value === 'string') secrets.consider(name, value)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value))
    for (const [at, word] of value.entries())
      if (typeof word === 'string') secrets.consider(...namedWord(word, String(value[at - 1] ?? '')))
  for (const [key, item] of Object.entries(value))
    noteTexts(item, Array.isArray(value) ? '' : key, secrets, isSecret || secretPlaces.test(name))
}
