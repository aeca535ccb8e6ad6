import type { Served } from '../peer/application.js'
import { revisionSetOf } from '../revisions/index.js'
import { checkExtension } from '../tools/checks/meta-keys.js'
import type { Client } from './client.js'
import { credentialsOf } from './credentials.js'
import { type ConnectOptions, checkConnectOptions, defaultClientLimits } from './options.js'
import { RemoteClient } from './remote-client.js'
import { endpointFor, type Target } from './target.js'

/**
 * Connects to a server of any revision.
 *
 * @example
 * ```ts
 * const shop = await connect<typeof app>('https://shop.example/mcp')
 * const { hits } = await shop.tools.search({ query: 'mug' })
 * await shop.close()
 * ```
 */
export function connect<S extends TypedServer>(server: S, options?: ConnectOptions): Promise<Client<S>>
export function connect<S = unknown>(target: Target, options?: ConnectOptions): Promise<Client<S>>
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  checkConnectOptions(options)
  for (const id of Object.keys(options.extensions ?? {})) checkExtension(id)
  const revisionSet = revisionSetOf(options.revision === undefined ? undefined : [options.revision].flat())
  const endpoint = await endpointFor(target, options, options.limits?.messageBytes ?? defaultClientLimits.messageBytes)
  const principal = credentialsOf(options.auth)?.principal ?? noPrincipal
  return new RemoteClient({ ...options, endpoint: endpoint, revisions: revisionSet, principal }).open(options)
}

/** A server in this process; its type says what tools it has. */
type TypedServer = Served & { readonly '~tools': unknown }

const noPrincipal = () => ''
