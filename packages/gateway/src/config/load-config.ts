import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../common/json.js'
import type { Document } from './documents/document.js'
import { withLines } from './documents/locate-error.js'
import { inFile, parseDocument, readDocument } from './documents/read-document.js'
import { findConfig } from './find-config.js'
import type { GatewayConfig } from './gateway-config.js'
import { baseFolderOf, configuredImports } from './hosts/configured-imports.js'
import { type Machine, machineOf, workspaceOf } from './paths.js'
import { Secrets } from './secrets.js'
import { checkTopLevelKeys } from './servers/check-keys.js'
import { commandWarnings } from './servers/command-allowlist.js'
import { findServers } from './servers/find-servers.js'
import { readEntry } from './servers/read-entry.js'
import type { UpstreamContext } from './servers/upstream-config.js'
import {
  checkPrefixes,
  type IdentifiedEntry,
  identifyEntries,
  misspelledServerSetting,
  unknownServer,
  upstreamConfigs,
} from './servers/upstream-configs.js'
import { checkSettings } from './settings/check-settings.js'
import { completeSettings } from './settings/complete-settings.js'
import { type ConfigFlags, settingOverrides } from './settings/overrides.js'
import { readSettings } from './settings/settings.js'
import type { OnMissingVariable } from './substitute-variables.js'
import { isAcceptedServer, isFoundConfig, TrustCheck } from './trust/trust.js'
import { settingsPart, type UntrustedPart } from './trust/untrusted-parts.js'
import type { Environment, PromptInput, VariableScope } from './variables.js'

/** What a config is made from besides its file. */
export type LoadOptions = {
  /** The file; found if not said. */
  readonly path?: string | undefined
  /** The file was found and not named, though `path` says where it is: it is trusted as far as it was accepted. */
  readonly asFound?: boolean
  /** Read in the place of what the file says: a change that is to be checked before it is written. */
  readonly text?: string
  /** Told of everything in it that is trusted only if somebody has accepted it. */
  readonly onParts?: (parts: readonly UntrustedPart[]) => void
  /** What becomes of variables that are not set: they refuse the config if not said. */
  readonly missing?: OnMissingVariable
  readonly env: Environment
  readonly cwd: string
  readonly flags?: ConfigFlags
  readonly home?: string
  readonly platform?: NodeJS.Platform
}

/**
 * Reads the config, or throws a ConfigError that says where it is wrong and what to do. Where there is none, the result has no
 * `source` and no upstreams.
 */
export async function loadConfig(options: LoadOptions): Promise<GatewayConfig> {
  const machine = machineOf(options)
  const source = await configSourceOf(options)
  if (source === undefined) return configOf(emptyConfig, options, machine)
  const document = await documentOf(source, options)
  try {
    return await configOf({ document, source }, options, machine)
  } catch (thrown) {
    throw withLines(thrown, document, source)
  }
}

/** The file that will be read. */
export const configSourceOf = (options: LoadOptions): Promise<string | undefined> =>
  findConfig(options.path ?? options.flags?.config, machineOf(options))

const documentOf = async (source: string, { text }: LoadOptions): Promise<Document> =>
  text === undefined ? readDocument(source) : inFile(source, parseDocument(source, text))

/** Where the gateway with this config keeps its data, and what else can be said without the variables of all servers. */
export type ConfigPlaces = Pick<GatewayConfig, 'dataDir' | 'policy' | 'port'> & {
  readonly source: string | undefined
  /** Is there an audit log? */
  readonly audit: boolean
}

/** The same places as in the config, though its servers may refer to variables that are not set here. */
export async function configPlaces(options: LoadOptions): Promise<ConfigPlaces> {
  const { env, cwd, flags = {} } = options
  const machine = machineOf(options)
  const source = await configSourceOf(options)
  const { value: written } = source === undefined ? emptyConfig.document : await documentOf(source, options)
  const value = await settingsTrusted({ value: written, source }, options, machine)
  const { dataDir, policy, port, guard } = isObject(value.toolwire) ? value.toolwire : {}
  const chosen = Object.entries({ dataDir, policy, port, guard }).filter(([, setting]) => setting !== undefined)
  const scope = scopeOf({ value, source }, machine, new Secrets())
  const settings = readSettings({ toolwire: Object.fromEntries(chosen) as JsonObject }, scope)
  const completed = completeSettings(settings, settingOverrides(flags, env), { ...machine, folder: baseFolderOf(source, cwd) })
  return { ...completed, source, audit: completed.guard.audit }
}

/** Without the settings, where they wait to be accepted. */
async function settingsTrusted(
  { value, source }: { value: JsonObject; source: string | undefined },
  options: LoadOptions,
  machine: Machine,
): Promise<JsonObject> {
  if (source === undefined || !isFoundConfig(source, options, machine)) return value
  const trust = await new TrustCheck(machine, options).of(source)
  return trust.holds(settingsPart(identifyEntries(findServers(value).map(readEntry)), value)) ? value : withoutSettings(value)
}

type OpenedConfig = { readonly document: Document; readonly source: string | undefined }
const emptyConfig: OpenedConfig = { document: { value: {}, lineOf: () => undefined }, source: undefined }

async function configOf(
  { document: { value: written }, source }: OpenedConfig,
  options: LoadOptions,
  machine: Machine,
): Promise<GatewayConfig> {
  const { env, flags = {}, missing = 'refuse' } = options
  checkTopLevelKeys(written)
  const servers = identifyEntries(findServers(written).map(readEntry))
  const trust = new TrustCheck(machine, options)
  const found = source !== undefined && isFoundConfig(source, options, machine)
  const own = found ? await trust.of(source) : undefined
  const areSettingsTrusted = own?.holds(settingsPart(servers, written)) ?? true
  const value = areSettingsTrusted ? written : withoutSettings(written)
  const secrets = new Secrets()
  const scope = scopeOf({ value, source }, machine, secrets)
  const settings = readSettings(value, scope, missing)
  checkSettings(settings)
  const folder = baseFolderOf(source, machine.cwd)
  const completed = completeSettings(settings, settingOverrides(flags, env), { ...machine, folder })
  noteSecrets(completed, secrets)
  const files = source ? [source] : []
  const { commands } = settings
  const workshop: UpstreamContext = {
    ...{ scope, own: completed, source, secrets, commands, missing, trust: own },
    onFile: (path: string) => void files.push(path),
  }
  const imported = await configuredImports(settings, servers, {
    ...workshop,
    machine,
    folder,
    config: value,
    trustOf: trust,
    found,
  })
  const all = [...servers, ...imported.all]
  const unknown = unknownServer(all, settings)
  const misspelled = settings.import && misspelledServerSetting(all, settings)
  if (misspelled) throw misspelled
  if (unknown && !settings.import) throw unknown
  const usable = (one: IdentifiedEntry) =>
    own === undefined || isAcceptedServer(one, { trust: own, config: written, areSettingsTrusted })
  const upstreams = [...(await upstreamConfigs(servers, settings, { ...workshop, usable })), ...imported.upstreams]
  checkPrefixes(upstreams)
  const warnings = [
    ...servers.flatMap(({ entry }) => entry.warnings),
    ...imported.warnings,
    ...upstreams.filter(({ disabled }) => !disabled).flatMap(({ id, target }) => commandWarnings(id, target)),
    ...(unknown ? [unknown.message] : []),
  ]
  const isOfTrust = found || trust.parts.length > 0
  if (isOfTrust) files.push(trust.store)
  options.onParts?.(trust.parts)
  return {
    ...completed,
    ...{ upstreams, source, files, warnings, secrets },
    ...(isOfTrust && { trust: { found, known: own?.known ?? false, store: trust.store, waiting: trust.waiting } }),
  }
}

const withoutSettings = ({ toolwire: _, ...rest }: JsonObject): JsonObject => rest

function scopeOf(
  { value, source }: { value: JsonObject; source: string | undefined },
  machine: Machine,
  secrets: Secrets,
): VariableScope {
  const workspace = source ? workspaceOf(source) : machine.cwd
  return { ...machine, workspace, inputs: inputsOf(value.inputs), onValue: (name, word) => secrets.consider(name, word) }
}

function inputsOf(inputs: Json | undefined): PromptInput[] {
  if (!Array.isArray(inputs)) return []
  return inputs.filter(isObject).flatMap(({ id, default: value }) => {
    if (typeof id !== 'string') return []
    return [{ id, ...(typeof value === 'string' && { default: value }) }]
  })
}

function noteSecrets({ apiKey, webhook, witness, redisUrl }: Partial<GatewayConfig>, secrets: Secrets): void {
  for (const secret of [apiKey, webhook?.secret]) if (secret !== undefined) secrets.add(secret)
  for (const address of [redisUrl, webhook?.url, witness?.to]) if (address !== undefined) secrets.address(address)
}
