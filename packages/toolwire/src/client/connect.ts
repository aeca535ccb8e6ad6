import type { Served } from '../peer/application.js'
import { editionsOf } from '../revisions/index.js'
import { checkExtension } from '../tools/meta-keys.js'
import type { Client } from './client.js'
import { credentialsOf } from './credentials.js'
import { type ConnectOptions, checkConnectOptions, usualLimits } from './options.js'
import { Remote } from './remote.js'
import { type Target, wayTo } from './ways.js'

/**
 * Connects to a server, whatever era it is from.
 *
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
  const editions = editionsOf(options.revision === undefined ? undefined : [options.revision].flat())
  const way = await wayTo(target, options, options.limits?.messageBytes ?? usualLimits.messageBytes)
  const principal = credentialsOf(options.auth)?.principal ?? nobody
  return new Remote({ ...options, way, editions, principal }).open(options)
}

/** A server in this process; its type says what tools it has. */
type TypedServer = Served & { readonly '~tools': unknown }

const nobody = () => ''
