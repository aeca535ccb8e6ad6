import { getJson } from '../api/api.js'
import type { Servers } from '../api/types.js'
import { useEvents, useLoaded } from '../api/use-loaded.js'
import { href } from '../page/route.js'
import { Empty, Loading } from '../parts/Empty.js'
import { Problem } from '../parts/Problem.js'
import { UpstreamCard } from './UpstreamCard.js'

/** The servers behind the gateway, and how each is doing. */
export function Upstreams() {
  const { value, trouble, reload } = useLoaded((signal) => getJson<Servers>('/servers', {}, signal), [])
  useEvents(['upstream', 'config', 'pin'], reload)
  return (
    <section class="card live-part" aria-label="Servers">
      <header class="live-head">
        <h2>Servers {value && <span class="count">{value.servers.length}</span>}</h2>
      </header>
      {trouble !== undefined && !value && <Problem title="The servers could not be loaded" error={trouble} onRetry={reload} />}
      {!value && trouble === undefined && <Loading what="the servers" />}
      {value?.servers.length === 0 && (
        <Empty icon="plug" title="No servers are configured">
          <a href={href(['setup'])}>Add one</a>, here or in the config; it is read again by itself.
        </Empty>
      )}
      <ul class="upstreams">
        {value?.servers.map((server) => (
          <UpstreamCard key={server.id} server={server} />
        ))}
      </ul>
    </section>
  )
}
