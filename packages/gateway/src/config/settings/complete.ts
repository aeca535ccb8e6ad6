import { type CallersConfig, defaultGuard, defaultHost, defaultPort, type GatewayConfig } from '../config.js'
import { problem } from '../config-error.js'
import { type Machine, pathFrom, usualDataDir } from '../paths.js'
import type { Outer } from './outer.js'
import type { Settings } from './settings.js'

/** Everything but the upstreams. */
export type Completed = Omit<GatewayConfig, 'upstreams' | 'source' | 'files' | 'warnings' | 'secrets'>

/** Fills in what was left open. Paths of the file start from its folder, those from outside where the gateway was started. */
export function complete(settings: Settings, outer: Outer, machine: Machine & { readonly folder: string }): Completed {
  const { env, home, cwd, folder } = machine
  const host = outer.host ?? settings.host ?? defaultHost
  const from = (said: string | undefined, written: string | undefined): string | undefined =>
    said !== undefined ? pathFrom(cwd, said, home) : written === undefined ? undefined : pathFrom(folder, written, home)
  const policy = from(outer.policy, settings.policy)
  const callers = callersOf(settings, host)
  refuseOpenDoor(host, callers, env.TOOLWIRE_API_KEY)
  return {
    sets: settings.sets ?? {},
    ...(policy !== undefined && { policy }),
    port: outer.port ?? settings.port ?? defaultPort,
    host,
    allowedHosts: settings.allowedHosts ?? [],
    allowedOrigins: settings.allowedOrigins ?? [],
    dataDir: from(outer.dataDir, settings.dataDir) ?? usualDataDir(machine),
    logLevel: outer.logLevel ?? settings.logLevel ?? 'info',
    guard: { ...defaultGuard, ...settings.guard },
    approvals: { waitMs: 300_000, mostPending: 100, ...settings.approvals },
    retention: settings.retention ?? {},
    ...(settings.webhook && { webhook: settings.webhook }),
    callers,
    ...(env.TOOLWIRE_API_KEY && { apiKey: env.TOOLWIRE_API_KEY }),
    ...(env.REDIS_URL && { redisUrl: env.REDIS_URL }),
    ...(env.DATABASE_URL && { databaseUrl: env.DATABASE_URL }),
  }
}

/** An authorization server means strangers, who may come through a proxy on this machine: then nobody is let in unasked. */
function callersOf({ callers = {} }: Settings, host: string): CallersConfig {
  return { loopback: isLoopback(host) && !callers.oauth, apiKeys: false, ...callers }
}

function refuseOpenDoor(host: string, { apiKeys, oauth }: CallersConfig, apiKey: string | undefined): void {
  if (isLoopback(host) || apiKeys || oauth || apiKey) return
  throw problem(
    '/toolwire/host',
    'the gateway would be open to everyone who can reach this address; set callers.apiKeys or callers.oauth, or TOOLWIRE_API_KEY, or listen on 127.0.0.1',
  )
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
