import type { Readable, Writable } from 'node:stream'
import type { UpstreamConfig } from '../config/gateway-config.js'
import type { LoadOptions } from '../config/load-config.js'
import type { Environment } from '../config/variables.js'
import type { ReplicaList } from '../http/replicas/replica-list.js'
import type { Store } from '../store/store.js'
import type { UpstreamClientOptions } from '../upstreams/open-client.js'
import type { GatewayLogEntry } from './gateway-log.js'

export type GatewayOptions = {
  /** Opened in `config.dataDir` if not given, and closed with the gateway in either case. */
  readonly store?: Store
  readonly env: Environment
  /** Receives log entries, without secrets. */
  readonly onLog?: (entry: GatewayLogEntry) => void
  /** Also serves the host that started this process, over stdin and stdout or over the given streams. */
  readonly stdio?: true | { readonly readable: Readable; readonly writable: Writable }
  /** Milliseconds that a caller without progress reports waits for a decision; 20,000 by default. */
  readonly patienceMs?: number
  /** Milliseconds that the start waits for servers; 5,000 by default. Their lists are offered when they arrive. */
  readonly openMs?: number
  /** For the console: the folder of its page, by default the one in the package, and its clock. */
  readonly console?: { readonly page?: string; readonly now?: () => number }
  /** Options with which the config was read. With them, servers can be changed in its file. */
  readonly load?: LoadOptions
  /** The replicas of this gateway, if several with the same vault key serve one address. */
  readonly replicas?: ReplicaList
  /** Credentials for upstreams that need more than headers. */
  readonly authFor?: (upstream: UpstreamConfig, store: Store) => UpstreamClientOptions['auth']
}
