import { dirname } from 'node:path'
import type { Json } from 'toolwire'
import { ifConfigError, problem } from '../config-error.js'
import type { UpstreamConfig } from '../gateway-config.js'
import { type Machine, resolvePath } from '../paths.js'
import type { ServerEntry } from '../servers/read-entry.js'
import { serverIdOf } from '../servers/server-id.js'
import type { UpstreamContext } from '../servers/upstream-config.js'
import { checkPrefixes, type IdentifiedEntry, upstreamOrUntrusted } from '../servers/upstream-configs.js'
import type { Settings } from '../settings/settings.js'
import { type FileTrust, isAcceptedServer, type TrustCheck } from '../trust/trust.js'
import { promptInputs } from '../variables.js'
import { findHosts, type HostFile, hostIds, hostOfProject } from './host.js'
import { readHost } from './read-host.js'

type Importing = UpstreamContext & {
  readonly machine: Machine
  readonly folder: string
  /** The servers of the config itself, whose prefixes are taken. */
  readonly ours: readonly UpstreamConfig[]
  readonly trustOf: TrustCheck
  /** Was the config itself found, and not named? */
  readonly found: boolean
}
/** A project's file counts as found, because its servers depend on the folder where the gateway was started. */
type Source = Pick<HostFile, 'path'> & Partial<Pick<HostFile, 'host' | 'scope'>> & { readonly isFound: boolean }

/**
 * Imports servers from other programs' configs. Those files can change at any time, so unusable entries are left out with a warning, and
 * the operator's own config takes precedence.
 */
export async function configuredImports(settings: Settings, own: readonly IdentifiedEntry[], terms: Importing) {
  const warnings: string[] = []
  const known = new Set(own.map(({ id }) => id))
  const all: IdentifiedEntry[] = []
  const upstreams: UpstreamConfig[] = []
  for (const { entry, path, trust, inputs } of await entriesOf(settings, terms, warnings))
    await warnOnError(warnings, path, async () => {
      const one = { entry, id: serverIdOf(entry.name, entry.at) }
      if (known.has(one.id)) throw problem(entry.at, `there is a server ${one.id} already`)
      // The file means the same whichever config imports it, so that it is accepted once.
      const scope = { ...terms.scope, inputs: promptInputs(inputs) }
      const usable = () =>
        trust === undefined ||
        isAcceptedServer(one, { trust, config: { ...(inputs.length > 0 && { inputs }) }, areSettingsTrusted: true })
      const upstream = await upstreamOrUntrusted(one, settings, { ...terms, scope, trust, usable })
      if (!upstream.disabled) checkPrefixes([...terms.ours, ...upstreams, upstream])
      upstreams.push(upstream)
      known.add(one.id)
      all.push(one)
    })
  return { all, upstreams, warnings }
}

type FoundEntry = {
  readonly entry: ServerEntry
  readonly path: string
  readonly trust: FileTrust | undefined
  readonly inputs: Json[]
}

async function entriesOf(settings: Settings, terms: Importing, warnings: string[]): Promise<FoundEntry[]> {
  const found: FoundEntry[] = []
  for (const source of await sourcesOf(settings.import ?? [], terms)) {
    terms.onFile(source.path)
    await warnOnError(warnings, source.path, async () => {
      const { entries, problems, inputs } = await readHost(source, terms.machine.cwd)
      warnings.push(...problems.map(({ message }) => `${message}; left out`))
      const trust = source.isFound ? await terms.trustOf.of(source.path) : undefined
      found.push(...entries.map((entry) => ({ entry, path: source.path, trust, inputs })))
    })
  }
  return found
}

const warnOnError = (warnings: string[], path: string, run: () => Promise<void>): Promise<void> =>
  run().catch(ifConfigError(({ file, message }) => void warnings.push(`${file ? '' : `${path}: `}${message}; left out`)))

/** The files to import. A host's file that does not exist yet is watched too. */
async function sourcesOf(wanted: readonly string[], { machine, folder, onFile, found: isFound }: Importing): Promise<Source[]> {
  if (wanted.length === 0) return []
  const files = await findHosts(machine)
  // In the home folder, the project's file is the user's file.
  const ofUser = files.filter(({ scope }) => scope === 'user').map(({ path }) => path)
  const isOfProject = (path: string) => hostOfProject(path) !== undefined && !ofUser.includes(path)
  return wanted.flatMap((name, index): Source[] => {
    if (/[\\/.]/.test(name)) {
      const path = resolvePath(folder, name, machine.home)
      return [{ path, isFound: isFound || isOfProject(path) }]
    }
    const places = files.filter(({ host }) => host.id === name)
    if (places.length === 0) throw problem(`/toolwire/import/${index}`, `is neither a path nor one of ${hostIds.join(', ')}`)
    for (const { path, found } of places) if (!found) onFile(path)
    return places.filter(({ found }) => found).map((place) => ({ ...place, isFound: isOfProject(place.path) }))
  })
}

/** The folder that relative paths of a config start from. */
export const baseFolderOf = (source: string | undefined, cwd: string): string => (source === undefined ? cwd : dirname(source))
