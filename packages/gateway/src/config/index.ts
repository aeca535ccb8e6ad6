export { ConfigError, type ConfigProblem, ifConfigError } from './config-error.js'
export { describeConfig } from './describe-config.js'
export { type ConfigChanges, diffConfigs, isUnchanged } from './diff-configs.js'
export {
  type ApprovalAudience,
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
} from './gateway-config.js'
export { type ConnectHostOptions, connectHost, type HostConnection } from './hosts/connect-host.js'
export { findHosts, type Host, type HostFile, type HostId, type HostTarget, hostIds, hosts } from './hosts/host.js'
export { type ImportedServer, type ImportResult, importServers } from './hosts/import-servers.js'
export { type ConfigPlaces, configPlaces, type LoadOptions, loadConfig } from './load-config.js'
export { isOwnAddress, type OwnAddress } from './own-address.js'
export type { Machine } from './paths.js'
export { Secrets } from './secrets.js'
export { serverIdOf } from './servers/server-id.js'
export type { ConfigFlags } from './settings/overrides.js'
export { settingsSchema } from './settings/settings-schema.js'
export type { Environment } from './variables.js'
export { type OnConfigChange, type OnConfigError, type WatchedConfig, type WatchOptions, watchConfig } from './watch-config.js'
