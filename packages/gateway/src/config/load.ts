import { homedir } from 'node:os'
import type { Json, JsonObject } from 'toolwire'
import type { GatewayConfig } from './config.js'
import { type Document, isObject } from './documents/document.js'
import { located } from './documents/located.js'
import { parseDocument, readDocument, within } from './documents/read-document.js'
import { findConfig } from './find-config.js'
import { folderOf, importedServers } from './hosts/imported.js'
import { homeOf, type Machine, workspaceOf } from './paths.js'
import { Secrets } from './secrets.js'
import { risksIn } from './servers/commands.js'
import { findServers } from './servers/find-servers.js'
import { readEntry } from './servers/read-entry.js'
import { checkPrefixes, identified, unknownServer, upstreamsOf } from './servers/upstreams.js'
import { checkSettings } from './settings/check-settings.js'
import { complete } from './settings/complete.js'
import { type Flags, outerSettings } from './settings/outer.js'
import { readSettings } from './settings/settings.js'
import type { Environment, Input, Scope } from './variables.js'

/** What a config is made from besides its file. */
export type LoadOptions = {
  /** The file; found if not said. */
  readonly path?: string | undefined
  /** What the file is going to say, where that is to be tried before it is written. */
  readonly text?: string
  readonly env: Environment
  readonly cwd: string
  readonly flags?: Flags
  readonly home?: string
  readonly platform?: NodeJS.Platform
}

/**
 * Reads the config, or throws a ConfigError that says where it is wrong and what to do. Where there is none, the result has no
 * `source` and no upstreams.
 */
export async function loadConfig(options: LoadOptions): Promise<GatewayConfig> {
  const machine = machineOf(options)
  const source = await sourceOf(options)
  if (source === undefined) return configOf(nothing, options, machine)
  const { text } = options
  const document = text === undefined ? await readDocument(source) : within(source, parseDocument(source, text))
  try {
    return await configOf({ document, source }, options, machine)
  } catch (thrown) {
    throw located(thrown, document, source)
  }
}

/** The file that will be read. */
export const sourceOf = (options: LoadOptions): Promise<string | undefined> =>
  findConfig(options.path ?? options.flags?.config, machineOf(options))

type Opened = { readonly document: Document; readonly source: string | undefined }
const nothing: Opened = { document: { value: {}, lineOf: () => undefined }, source: undefined }

async function configOf(
  { document: { value }, source }: Opened,
  { env, flags = {} }: LoadOptions,
  machine: Machine,
): Promise<GatewayConfig> {
  const secrets = new Secrets()
  const scope = scopeOf({ value, source }, machine, secrets)
  const settings = readSettings(value, scope)
  checkSettings(settings)
  const folder = folderOf(source, machine.cwd)
  const completed = complete(settings, outerSettings(flags, env), { ...machine, folder })
  noteSecrets(completed, secrets)
  const files = source ? [source] : []
  const { commands } = settings
  const workshop = { scope, own: completed, secrets, commands, onFile: (path: string) => void files.push(path) }
  const written = identified(findServers(value).map(readEntry))
  const imported = await importedServers(settings, written, { ...workshop, machine, folder })
  const unknown = unknownServer([...written, ...imported.all], settings)
  if (unknown && !settings.import) throw unknown
  const upstreams = [...(await upstreamsOf(written, settings, workshop)), ...imported.upstreams]
  checkPrefixes(upstreams)
  const warnings = [
    ...written.flatMap(({ entry }) => entry.warnings),
    ...imported.warnings,
    ...upstreams.filter(({ disabled }) => !disabled).flatMap(({ id, target }) => risksIn(id, target)),
    ...(unknown ? [unknown.message] : []),
  ]
  return { ...completed, upstreams, source, files, warnings, secrets }
}

function machineOf({ env, cwd, home = homeOf(env) ?? homedir(), platform = process.platform }: LoadOptions): Machine {
  return { env, cwd, home, platform }
}

function scopeOf(
  { value, source }: { value: JsonObject; source: string | undefined },
  machine: Machine,
  secrets: Secrets,
): Scope {
  const workspace = source ? workspaceOf(source) : machine.cwd
  return { ...machine, workspace, inputs: inputsOf(value.inputs), onValue: (name, word) => secrets.consider(name, word) }
}

function inputsOf(inputs: Json | undefined): Input[] {
  if (!Array.isArray(inputs)) return []
  return inputs.filter(isObject).flatMap(({ id, default: value }) => {
    if (typeof id !== 'string') return []
    return [{ id, ...(typeof value === 'string' && { default: value }) }]
  })
}

function noteSecrets({ apiKey, webhook, redisUrl }: Partial<GatewayConfig>, secrets: Secrets): void {
  for (const secret of [apiKey, webhook?.secret]) if (secret !== undefined) secrets.add(secret)
  for (const address of [redisUrl, webhook?.url]) if (address !== undefined) secrets.address(address)
}
