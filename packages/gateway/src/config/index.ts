export {
  type AskWhom,
  type CallersConfig,
  defaultHost,
  defaultPort,
  type GatewayConfig,
  type GuardConfig,
  type LogLevel,
  logLevels,
  type Target,
  type ToolOverride,
  type UpstreamConfig,
  type UpstreamLogin,
} from './config.js'
export { ConfigError, type ConfigProblem } from './config-error.js'
export { describe, describeText } from './describe.js'
export { type ConfigChanges, diffConfigs, isSame } from './diff.js'
export { type Connection, type ConnectOptions, connectHost } from './hosts/connect-host.js'
export { findHosts, type HostFile } from './hosts/find-hosts.js'
export { type Gateway as HostTarget, type Host, type HostId, hostIds, hosts } from './hosts/host.js'
export { type Imported, type ImportedServer, importFrom } from './hosts/import-from.js'
export { type LoadOptions, loadConfig, type Places, placesOf } from './load.js'
export { isOwnAddress, type OwnAddress } from './own-address.js'
export type { Machine } from './paths.js'
export { Secrets } from './secrets.js'
export { idOf } from './servers/id.js'
export type { Flags } from './settings/outer.js'
export { settingsSchema } from './settings/schema.js'
export type { Environment } from './variables.js'
export { type OnChange, type OnTrouble, type WatchedConfig, type WatchOptions, watchConfig } from './watch.js'
