// Binds pins and grants from before server identities were stored to the servers that have their names at the first start, or once these
// are accepted.
import type { Pin } from 'toolwire/guard'
import type { UpstreamConfig } from '../config/gateway-config.js'
import type { IdentifyServer, ServerIdentity } from '../config/servers/server-identity.js'
import type { Store } from '../store/store.js'

type Parts = {
  readonly store: Pick<Store, 'pins' | 'grants' | 'servers'>
  readonly upstreams: readonly UpstreamConfig[]
  readonly identify: IdentifyServer
  readonly onNote: (words: string) => void
  readonly onBound: (pin: Pin) => void
}

type Loose = { readonly server: string | undefined; readonly serverIdentity?: string }

/** The identity of servers missing at that start. Pins and grants bound to it hold for no real server. */
const unknownServer = 'unknown'

/** A server that waits for trust has no identity yet, so its pins and grants stay loose until it is accepted. */
export async function bindServerIdentities({ store, upstreams, identify, onNote, onBound }: Parts): Promise<void> {
  const waiting = new Set(upstreams.filter(({ waits }) => waits).map(({ id }) => id))
  const isLoose = ({ server, serverIdentity }: Loose) =>
    server !== undefined && serverIdentity === undefined && !waiting.has(server)
  const pins = (await store.pins.list()).filter(isLoose)
  const grants = (await store.grants.list()).filter(isLoose)
  const names = new Set([...pins, ...grants].map(({ server = '' }) => server))
  if (names.size === 0) return
  const identities = new Map<string, ServerIdentity>()
  for (const upstream of upstreams) {
    if (!names.has(upstream.id)) continue
    const identity = await identify(upstream)
    identities.set(upstream.id, identity)
    await store.servers.add(upstream.id, identity)
  }
  const idOf = (server = '') => identities.get(server)?.id ?? unknownServer
  for (const pin of pins) {
    const bound = { ...pin, serverIdentity: idOf(pin.server) }
    await store.pins.set(bound)
    onBound(bound)
  }
  for (const grant of grants) await store.grants.add({ ...grant, serverIdentity: idOf(grant.server) })
  const bound = [...identities.keys()]
  const others = [...names].filter((name) => !identities.has(name))
  onNote(
    `Tools and grants that were accepted by the name of a server now belong to the server that has this name today: ${bound.join(', ') || 'none'}. ` +
      'From now on, another command, script or address under the same name is another server, and its tools wait to be accepted.' +
      (others.length > 0 ? ` These servers are not in the config, so their tools will wait too: ${others.join(', ')}.` : ''),
  )
}
