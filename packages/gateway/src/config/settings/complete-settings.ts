import { outsideProblem, problem } from '../config-error.js'
import {
  type CallersConfig,
  type ConsoleConfig,
  defaultApprovals,
  defaultGuard,
  defaultHost,
  defaultPort,
  type GuardConfig,
  hasSpool,
} from '../gateway-config.js'
import { isLoopback } from '../own-address.js'
import { defaultDataDir, type Machine, resolvePath } from '../paths.js'
import type { Environment } from '../variables.js'
import { parseWitnessLocation, witnessEveryMs } from '../witness-location.js'
import { isUnknown } from './check-settings.js'
import type { SettingOverrides } from './overrides.js'
import type { Settings } from './settings.js'

/** Fills in defaults. Paths in the file are relative to its folder, all other paths to the current folder. */
export function completeSettings(settings: Settings, outer: SettingOverrides, machine: Machine & { readonly folder: string }) {
  const { env, home, cwd, folder } = machine
  const host = outer.host ?? settings.host ?? defaultHost
  const from = (said: string | undefined, written: string | undefined): string | undefined =>
    said !== undefined ? resolvePath(cwd, said, home) : written === undefined ? undefined : resolvePath(folder, written, home)
  const policy = from(outer.policy, settings.policy)
  const callers = callersOf(settings, host)
  if (isOpen(host, callers, env.TOOLWIRE_API_KEY))
    throw outer.host === undefined ? problem('/toolwire/host', wouldBeOpen) : outsideProblem(`--host ${host}: ${wouldBeOpen}`)
  const guard = guardOf(settings)
  const store = storeOf(settings, outer, env)
  if (hasSpool({ guard }) && store.store === undefined) throw problem('/toolwire/guard/audit/spool', spoolNeedsStore)
  return {
    sets: settings.sets ?? {},
    ...(settings.commands && { commands: settings.commands }),
    ...(settings.import && { import: settings.import }),
    ...(policy !== undefined && { policy }),
    port: outer.port ?? settings.port ?? defaultPort,
    host,
    console: consoleOf(settings, outer),
    allowedHosts: settings.allowedHosts ?? [],
    allowedOrigins: settings.allowedOrigins ?? [],
    dataDir: from(outer.dataDir, settings.dataDir) ?? defaultDataDir(machine),
    logLevel: outer.logLevel ?? settings.logLevel ?? 'info',
    guard,
    approvals: { ...defaultApprovals, ...settings.approvals },
    retention: settings.retention ?? {},
    ...(settings.witness && { witness: witnessOf(settings.witness, folder, home) }),
    ...(settings.webhook && { webhook: settings.webhook }),
    callers,
    clients: settings.clients ?? {},
    ...(env.TOOLWIRE_API_KEY && { apiKey: env.TOOLWIRE_API_KEY }),
    ...store,
    ...(env.REDIS_URL && { redisUrl: redisAt(env.REDIS_URL) }),
  }
}

/** With an authorization server, callers are strangers, who may come through a local proxy; so loopback callers need a credential too. */
function callersOf({ callers = {} }: Settings, host: string): CallersConfig {
  return { loopback: isLoopback(host) && !callers.oauth, apiKeys: false, ...callers }
}

function witnessOf({ to, everyMs = witnessEveryMs }: NonNullable<Settings['witness']>, folder: string, home: string) {
  try {
    const place = parseWitnessLocation(to, folder, home)
    return { to: place.kind === 'file' ? place.path : place.url, everyMs }
  } catch (thrown) {
    throw problem('/toolwire/witness/to', thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** A limit without a period is per minute, so that `toolwire set guard.rate.calls 120` works. */
function guardOf({ guard = {} }: Settings): GuardConfig {
  const { rate = defaultGuard.rate, lists = defaultGuard.lists } = guard
  return { ...defaultGuard, ...guard, rate: rate && { per: 'minute', ...rate }, lists: lists && { per: 'minute', ...lists } }
}

/** The console listens on this machine only. Others use a tunnel, so that their input is not read on the way. */
function consoleOf({ console = {} }: Settings, outer: SettingOverrides): ConsoleConfig | false {
  if (console === false || outer.isConsoleOff) return false
  const { host = defaultHost } = console
  if (!isUnknown(host) && !isLoopback(host)) throw problem('/toolwire/console/host', consoleIsLocal)
  const port = outer.consolePort ?? console.port
  return { host: host.replace(/^\[|\]$/g, ''), ...(port !== undefined && { port }) }
}

const spoolNeedsStore = 'guard.audit.spool needs a PostgreSQL store. Set store or TOOLWIRE_STORE, or remove spool'

const consoleIsLocal =
  'the console listens only on this machine: 127.0.0.1, ::1 or localhost. From other machines, use a tunnel (ssh -L 4181:127.0.0.1:4181)'

/** Reads DATABASE_URL only where configured, because the variable may belong to another program on the same machine. */
function storeOf(settings: Settings, outer: SettingOverrides, env: Environment): { readonly store?: string } {
  const said = outer.store ?? settings.store
  if (said === undefined) return {}
  const [at, name] = outer.store === undefined ? ['/toolwire/store', 'store'] : [undefined, 'TOOLWIRE_STORE']
  return { store: storeAddress(said, { at, name, env }) }
}

type SettingPlace = {
  /** The place in the config; undefined for a flag or a variable. */
  readonly at: string | undefined
  readonly name: string
  readonly env: Environment
}

/** The address of PostgreSQL: the given one, or DATABASE_URL for the word `postgres`. */
export function storeAddress(said: string, { at, name, env }: SettingPlace): string {
  if (said !== 'postgres') return postgresAt(said, at, name)
  if (!env.DATABASE_URL)
    throw problemAt(at, `${name} says postgres, and DATABASE_URL is not set; set it, or write the address here`)
  return postgresAt(env.DATABASE_URL, undefined, 'DATABASE_URL')
}

function postgresAt(url: string, at: string | undefined, name: string): string {
  if (isUnknown(url) || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) return url
  throw problemAt(
    at,
    `${name} is not an address of PostgreSQL; write postgres://user:password@host/database, or postgres for DATABASE_URL`,
  )
}

const problemAt = (at: string | undefined, message: string) => (at === undefined ? outsideProblem(message) : problem(at, message))

function redisAt(url: string): string {
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) return url
  throw outsideProblem('REDIS_URL is not a Redis address; write redis:// or rediss://')
}

const isOpen = (host: string, { apiKeys, oauth }: CallersConfig, apiKey: string | undefined): boolean =>
  !(isUnknown(host) || isLoopback(host) || apiKeys || oauth || apiKey)

const wouldBeOpen =
  'the gateway would be open to everyone who can reach this address; set callers.apiKeys or callers.oauth, or TOOLWIRE_API_KEY, or listen on 127.0.0.1'
