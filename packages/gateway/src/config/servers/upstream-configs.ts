import { schemas } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { ConfigError, problem } from '../config-error.js'
import { misspelledName } from '../did-you-mean.js'
import { jsonPointer } from '../documents/document.js'
import type { UpstreamConfig } from '../gateway-config.js'
import type { ServerSettings, Settings } from '../settings/settings.js'
import { UntrustedVariablesError } from '../trust/trust.js'
import type { ServerEntry } from './read-entry.js'
import { serverIdOf } from './server-id.js'
import { type UpstreamContext, upstreamConfigOf } from './upstream-config.js'

export type IdentifiedEntry = { readonly entry: ServerEntry; readonly id: string }

/** Assigns an id to each entry; refuses two entries with the same id. */
export function identifyEntries(entries: readonly ServerEntry[]): IdentifiedEntry[] {
  const names = new Map<string, string>()
  return entries.map((entry) => {
    const id = serverIdOf(entry.name, entry.at)
    const other = names.get(id)
    if (other !== undefined)
      throw problem(
        entry.at,
        `${JSON.stringify(entry.name)} and ${JSON.stringify(other)} both get the id ${JSON.stringify(id)}; rename one of them`,
      )
    names.set(id, entry.name)
    return { entry, id }
  })
}

/** The settings for a server, by its id or by its name. */
function serverSettingsFor({ entry, id }: IdentifiedEntry, { servers = {} }: Settings): ServerSettings {
  if (Object.hasOwn(servers, id)) return servers[id] ?? {}
  return Object.hasOwn(servers, entry.name) ? (servers[entry.name] ?? {}) : {}
}

type Terms = UpstreamContext & { readonly usable: (one: IdentifiedEntry) => boolean }

/** Makes an upstream of an entry; one that waits for trust is a disabled placeholder with only an id. */
export async function upstreamOrUntrusted(one: IdentifiedEntry, settings: Settings, terms: Terms): Promise<UpstreamConfig> {
  if (!terms.usable(one)) return untrustedUpstream(one.id)
  try {
    return await upstreamConfigOf(one.entry, one.id, serverSettingsFor(one, settings), terms)
  } catch (thrown) {
    if (thrown instanceof UntrustedVariablesError) return untrustedUpstream(one.id)
    throw thrown
  }
}

const untrustedUpstream = (id: string): UpstreamConfig => ({
  ...{ id, disabled: true, waits: true, lazy: true, trusted: false, tools: {}, prefix: id },
  target: { kind: 'child', command: '', args: [], env: {} },
})

/** The error for settings of an unknown server, with the name that was probably meant. */
export function unknownServer(all: readonly IdentifiedEntry[], { servers = {} }: Settings): ConfigError | undefined {
  const names = all.flatMap(({ entry, id }) => [id, entry.name])
  const known = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, true])), additionalProperties: false }
  const [issue] = compile(known, { limits: schemas.trustedLimits }).check(servers)
  if (!issue) return undefined
  const { 1: meant } = /(did you mean .*)$/.exec(issue.message) ?? []
  const advice = meant ?? `known servers: ${names.length === 0 ? 'none' : [...new Set(names)].join(', ')}`
  return new ConfigError([{ at: `/toolwire/servers${issue.path}`, message: `there is no server of this name; ${advice}` }])
}

/**
 * Refuses settings for an unknown server. With imports, a server may appear later, or be gone for now, so only a likely misspelling of an
 * own server without settings is refused.
 */
export function checkServerSettings(
  own: readonly IdentifiedEntry[],
  imported: readonly IdentifiedEntry[],
  settings: Settings,
): void {
  const all = [...own, ...imported]
  const names = new Set(all.flatMap(({ entry, id }) => [id, entry.name]))
  const without = own.map(({ entry, id }) => [id, entry.name]).filter((both) => !both.some((name) => isSet(name, settings)))
  const isMeant = (name: string) => names.has(name) || (settings.import && misspelledName(name, without.flat()) === undefined)
  const wrong = Object.entries(settings.servers ?? {}).filter(([name]) => !isMeant(name))
  const unknown = unknownServer(all, { servers: Object.fromEntries(wrong) })
  if (unknown) throw unknown
}

const isSet = (name: string, { servers = {} }: Settings): boolean => Object.hasOwn(servers, name)

/** Refuses a prefix that two servers share, and a server without a prefix that is not the only one. */
export function checkPrefixes(upstreams: readonly UpstreamConfig[]): void {
  const open = upstreams.filter(({ disabled }) => !disabled)
  const taken = new Map<string, string>()
  for (const { id, prefix } of open) {
    const at = `/toolwire/servers${jsonPointer(id)}/prefix`
    if (prefix === false && open.length > 1)
      throw problem(
        at,
        `only a single server can have no prefix, and ${open.length} servers are enabled; remove this setting, or disable the others`,
      )
    const other = prefix === false ? undefined : taken.get(prefix)
    if (other !== undefined) throw problem(at, `the server ${other} has the same prefix; choose another one`)
    if (prefix !== false) taken.set(prefix, id)
  }
}
