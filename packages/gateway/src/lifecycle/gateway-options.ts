import type { Readable, Writable } from 'node:stream'
import type { UpstreamConfig } from '../config/gateway-config.js'
import type { LoadOptions } from '../config/load-config.js'
import type { Environment } from '../config/variables.js'
import type { ReplicaList } from '../http/replicas/replica-list.js'
import type { Store } from '../store/store.js'
import type { UpstreamClientOptions } from '../upstreams/open-client.js'
import type { GatewayLogEntry } from './gateway-log.js'

/** What a gateway needs besides its config. */
export type GatewayOptions = {
  /** Opened in `config.dataDir` if not given, and closed with the gateway in either case. */
  readonly store?: Store
  readonly env: Environment
  /** What is to be written to the log, without secrets. */
  readonly onLog?: (entry: GatewayLogEntry) => void
  /** Serves the host that started this process too: over stdin and stdout, or over these. */
  readonly stdio?: true | { readonly readable: Readable; readonly writable: Writable }
  /** Milliseconds that a caller is kept waiting for a decision when it does not hear of progress; 20,000 if not said. */
  readonly patienceMs?: number
  /** Of the console: the folder of its page, if it is not the one that comes with the package, and its clock. */
  readonly console?: { readonly page?: string; readonly now?: () => number }
  /** How the config was read, where it was: servers can be changed in its file then. */
  readonly load?: LoadOptions
  /** The replicas of this gateway, where it is one of several with the same vault key behind one address. */
  readonly replicas?: ReplicaList
  /** Credentials for upstreams that need more than headers. */
  readonly authFor?: (upstream: UpstreamConfig, store: Store) => UpstreamClientOptions['auth']
}
