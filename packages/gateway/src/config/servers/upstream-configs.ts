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

/** An entry that has its id. */
export type IdentifiedEntry = { readonly entry: ServerEntry; readonly id: string }

/** Gives each entry its id; two that come to the same one are refused. */
export function identifyEntries(entries: readonly ServerEntry[]): IdentifiedEntry[] {
  const names = new Map<string, string>()
  return entries.map((entry) => {
    const id = serverIdOf(entry.name, entry.at)
    const other = names.get(id)
    if (other !== undefined)
      throw problem(
        entry.at,
        `${JSON.stringify(entry.name)} and ${JSON.stringify(other)} both come to the id ${JSON.stringify(id)}; rename one of them`,
      )
    names.set(id, entry.name)
    return { entry, id }
  })
}

/** What the settings say about a server, by its id or by its name. */
function serverSettingsFor({ entry, id }: IdentifiedEntry, { servers = {} }: Settings): ServerSettings {
  if (Object.hasOwn(servers, id)) return servers[id] ?? {}
  return Object.hasOwn(servers, entry.name) ? (servers[entry.name] ?? {}) : {}
}

type Terms = UpstreamContext & { readonly usable: (one: IdentifiedEntry) => boolean }

/** One that waits for trust is there by its name, and nothing else of it is used. */
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

/** Settings for a server that is not there, and the name that was probably meant. */
export function unknownServer(all: readonly IdentifiedEntry[], { servers = {} }: Settings): ConfigError | undefined {
  const names = all.flatMap(({ entry, id }) => [id, entry.name])
  const known = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, true])), additionalProperties: false }
  const [issue] = compile(known, { limits: schemas.trustedLimits }).check(servers)
  if (!issue) return undefined
  const { 1: meant } = /(did you mean .*)$/.exec(issue.message) ?? []
  const advice = meant ?? `known are: ${names.length === 0 ? 'none' : [...new Set(names)].join(', ')}`
  return new ConfigError([{ at: `/toolwire/servers${issue.path}`, message: `there is no server of this name; ${advice}` }])
}

/** Refuses settings for no server; where imports might bring one of that name later, only likely misspellings. */
export function checkServerSettings(all: readonly IdentifiedEntry[], settings: Settings): void {
  const names = all.flatMap(({ entry, id }) => [id, entry.name])
  const isMeant = (name: string) => names.includes(name) || (settings.import && misspelledName(name, names) === undefined)
  const wrong = Object.entries(settings.servers ?? {}).filter(([name]) => !isMeant(name))
  const unknown = unknownServer(all, { servers: Object.fromEntries(wrong) })
  if (unknown) throw unknown
}

/** No two servers may offer under the same prefix, and only one that is alone may offer without. */
export function checkPrefixes(upstreams: readonly UpstreamConfig[]): void {
  const open = upstreams.filter(({ disabled }) => !disabled)
  const taken = new Map<string, string>()
  for (const { id, prefix } of open) {
    const at = `/toolwire/servers${jsonPointer(id)}/prefix`
    if (prefix === false && open.length > 1)
      throw problem(
        at,
        `only a single server can do without a prefix, and there are ${open.length}; take this out, or disable the others`,
      )
    const other = prefix === false ? undefined : taken.get(prefix)
    if (other !== undefined) throw problem(at, `the server ${other} has the same prefix; choose another one`)
    if (prefix !== false) taken.set(prefix, id)
  }
}
