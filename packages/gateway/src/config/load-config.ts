import type { JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'
import type { Document } from './documents/document.js'
import { parseDocument, readTextFile, withLines } from './documents/read-document.js'
import { findConfig } from './find-config.js'
import type { GatewayConfig, UpstreamConfig } from './gateway-config.js'
import { baseFolderOf, configuredImports } from './hosts/configured-imports.js'
import { hostOfProject } from './hosts/host.js'
import { entryOf } from './hosts/read-host.js'
import { refusedPortWarnings } from './own-address.js'
import { type Machine, machineOf, refuseOtherDataDir, workspaceOf } from './paths.js'
import { Secrets } from './secrets.js'
import { checkTopLevelKeys } from './servers/check-keys.js'
import { commandRisks } from './servers/command-risks.js'
import { findServers } from './servers/find-servers.js'
import type { UpstreamContext } from './servers/upstream-config.js'
import {
  checkPrefixes,
  checkServerSettings,
  type IdentifiedEntry,
  identifyEntries,
  unknownServer,
  upstreamOrUntrusted,
} from './servers/upstream-configs.js'
import { checkSettings } from './settings/check-settings.js'
import { completeSettings } from './settings/complete-settings.js'
import { type ConfigFlags, settingOverrides } from './settings/overrides.js'
import { readSettings, type Settings } from './settings/settings.js'
import { type StoredConfig, storedConfigPlace } from './stored-config.js'
import type { OnMissingVariable } from './substitute-variables.js'
import { foundPolicy } from './trust/found-policy.js'
import { type FileTrust, isAcceptedServer, isFoundConfig, type TrustCheck, trustCheck } from './trust/trust.js'
import { settingsPart, type UntrustedPart } from './trust/untrusted-parts.js'
import { type Environment, promptInputs, type VariableScope } from './variables.js'
import { writtenConfig } from './written-config.js'

/** The sources of a config besides its file. */
export type LoadOptions = {
  /** The file; searched for if undefined. */
  readonly path?: string | undefined
  /** The file was discovered and not named, even though `path` is given: only its accepted parts are trusted. */
  readonly asFound?: boolean
  /** Read instead of the file's content, to check a change before it is written. */
  readonly text?: string
  /** A config from the database, read instead of any file. */
  readonly stored?: StoredConfig
  /** Receives all parts that are trusted only after a person has accepted them. */
  readonly onParts?: (parts: readonly UntrustedPart[]) => void
  /** The handling of unset variables; by default, they are an error. */
  readonly missing?: OnMissingVariable
  readonly env: Environment
  readonly cwd: string
  readonly flags?: ConfigFlags
  readonly home?: string
  readonly platform?: NodeJS.Platform
}

/**
 * Reads the config, or throws a ConfigError with the place of each problem and what to do about it. Without a config, the result has no
 * `source` and no upstreams.
 */
export async function loadConfig(options: LoadOptions): Promise<GatewayConfig> {
  const { stored } = options
  const source = stored ? undefined : await configSourceOf(options)
  const place = stored ? storedConfigPlace(stored) : source
  const document = await documentOf(place, stored ? { text: stored.config.text } : options)
  try {
    return await configOf({ value: document.value, source }, options)
  } catch (thrown) {
    throw place === undefined ? thrown : withLines(thrown, document, place)
  }
}

export const configSourceOf = (options: LoadOptions): Promise<string | undefined> =>
  findConfig(options.path ?? options.flags?.config, machineOf(options))

const documentOf = async (source: string | undefined, { text }: Pick<LoadOptions, 'text'>): Promise<Document> =>
  source === undefined ? { value: {}, lineOf: () => undefined } : parseDocument(source, text ?? (await readTextFile(source)))

/** The location of the gateway's data, and other settings that are known without the servers' variables. */
export type ConfigPlaces = Pick<GatewayConfig, 'dataDir' | 'port' | 'source' | 'store'> & {
  readonly policy?: string
  readonly audit: boolean
  /** The settings of a found config that nobody has accepted, so that they are not among these. */
  readonly waiting: readonly UntrustedPart[]
}

/** Reads these settings even if servers refer to variables that are not set here. */
export async function configPlaces(options: LoadOptions): Promise<ConfigPlaces> {
  const machine = machineOf(options)
  const source = await configSourceOf(options)
  const written = (await documentOf(source, options)).value
  const trust = trustCheck(machine, options)
  const own = await trustOf(source, options, trust)
  const isTrusted = own?.holds(settingsPart(serversIn({ value: written, source }), written)) ?? true
  const { dataDir, policy, port, guard, store } = isTrusted && isObject(written.toolwire) ? written.toolwire : {}
  const toolwire = Object.entries({ dataDir, policy, port, guard, store }).filter(([, setting]) => setting !== undefined)
  const scope = scopeOf({ value: written, source }, machine, new Secrets())
  const settings = readSettings({ toolwire: Object.fromEntries(toolwire) as JsonObject }, scope)
  const completed = completedBy(settings, source, options)
  await refuseOtherDataDir(completed.dataDir)
  return { ...completed, source, audit: completed.guard.audit !== false, waiting: trust.waiting }
}

type WrittenDocument = { readonly value: JsonObject; readonly source: string | undefined }

/** A file of a host means here what it means where it is imported, so that acceptance is the same. */
const serversIn = ({ value, source = '' }: WrittenDocument): IdentifiedEntry[] =>
  identifyEntries(findServers(value).map((one) => entryOf(one, value, hostOfProject(source))))

/** The trust in a discovered config; undefined for a config that was named, because that is trusted. */
const trustOf = async (source: string | undefined, options: LoadOptions, trust: TrustCheck): Promise<FileTrust | undefined> =>
  source !== undefined && isFoundConfig(source, options, machineOf(options)) ? trust.of(source) : undefined

function completedBy(settings: Settings, source: string | undefined, options: LoadOptions) {
  const machine = machineOf(options)
  const outer = settingOverrides(options.flags ?? {}, options.env)
  return completeSettings(settings, outer, { ...machine, folder: baseFolderOf(source, machine.cwd) })
}

async function configOf({ value: written, source }: WrittenDocument, options: LoadOptions): Promise<GatewayConfig> {
  const { missing = 'refuse', stored, flags = {} } = options
  const machine = machineOf(options)
  checkTopLevelKeys(written)
  const servers = serversIn({ value: written, source })
  const trust = trustCheck(machine, options)
  const own = await trustOf(source, options, trust)
  const areSettingsTrusted = own?.holds(settingsPart(servers, written)) ?? true
  const value = areSettingsTrusted ? written : withoutSettings(written)
  const secrets = new Secrets()
  const scope = scopeOf({ value, source }, machine, secrets)
  const settings = readSettings(value, scope, missing)
  checkSettings(settings)
  const completed = completedBy(settings, source, options)
  noteSecrets(completed, secrets)
  const files = source ? [source] : []
  const { policy: ownPolicy } = completed
  // A policy of the command line was named.
  const policy = own && ownPolicy !== undefined && !flags.policy ? await foundPolicy(ownPolicy, own) : ownPolicy
  if (typeof policy === 'object') files.push(policy.name)
  const context: UpstreamContext = {
    ...{ scope, own: completed, source, secrets, commands: settings.commands, missing, trust: own },
    onFile: (path: string) => void files.push(path),
  }
  const found = own !== undefined
  const usable = (one: IdentifiedEntry) =>
    own === undefined || isAcceptedServer(one, { trust: own, config: written, areSettingsTrusted })
  const ours = await Promise.all(servers.map((one) => upstreamOrUntrusted(one, settings, { ...context, usable })))
  checkPrefixes(ours)
  const importing = { machine, folder: baseFolderOf(source, machine.cwd), trustOf: trust, found, ours }
  const imported = await configuredImports(settings, servers, { ...context, ...importing })
  checkServerSettings(servers, imported.all, settings)
  const upstreams = [...ours, ...imported.upstreams]
  const unknown = settings.import && unknownServer([...servers, ...imported.all], settings)
  const warnings = [
    ...servers.flatMap(({ entry }) => entry.warnings),
    ...imported.warnings,
    ...upstreams.flatMap(commandWarnings),
    ...refusedPortWarnings(completed),
    ...(unknown ? [unknown.message] : []),
  ]
  const isOfTrust = found || trust.parts.length > 0
  if (isOfTrust) files.push(trust.store)
  options.onParts?.(trust.parts)
  const { store: file, waiting } = trust
  return {
    ...completed,
    ...(policy !== undefined && { policy }),
    ...{ upstreams, source, files, warnings, secrets, written: writtenConfig(value) },
    ...(stored && { version: stored.version, ...(stored.policy && !flags.policy && { policy: stored.policy }) }),
    ...(isOfTrust && { trust: { found, known: own?.known ?? false, store: file, waiting } }),
  }
}

const commandWarnings = ({ id, disabled, target }: UpstreamConfig): readonly string[] =>
  disabled || target.kind !== 'child'
    ? []
    : commandRisks(target).map((risk) => `${id}: its command ${risk}; review it before you trust it`)

const withoutSettings = ({ toolwire: _, ...rest }: JsonObject): JsonObject => rest

function scopeOf({ value, source }: WrittenDocument, machine: Machine, secrets: Secrets): VariableScope {
  const workspace = source ? workspaceOf(source) : machine.cwd
  return { ...machine, workspace, inputs: promptInputs(value.inputs), onValue: (name, word) => secrets.consider(name, word) }
}

function noteSecrets({ apiKey, webhook, witness, redisUrl, store }: Partial<GatewayConfig>, secrets: Secrets): void {
  for (const secret of [apiKey, webhook?.secret]) if (secret !== undefined) secrets.add(secret)
  for (const address of [redisUrl, store, webhook?.url, witness?.to]) if (address !== undefined) secrets.address(address)
}
