export {
  type ApprovalAudience,
  type GatewayConfig,
  type LoadOptions,
  loadConfig,
  type UpstreamConfig,
  type WatchOptions,
} from './config/index.js'
export { type Gateway, type GatewayOptions, type LogEntry, runGateway, startGateway } from './lifecycle/start-gateway.js'
export { openStore, type StoreOptions } from './store/open-store.js'
export type { Store } from './store/store.js'
