import { pathSegment, postJson } from '../api/api.js'
import type { Server, Servers } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { href } from '../page/route.js'
import { countText } from '../parts/count-text.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { restartsText, serverStates } from '../parts/ServerState.js'
import { toast } from '../parts/Toast.js'
import { markedText, Paragraph, Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { WorkButton } from '../parts/WorkButton.js'

export function Upstreams() {
  const loaded = useGet<Servers>('/servers', {}, ['upstream', 'config', 'pin'])
  const servers = loaded.value?.servers
  return (
    <section class="card clip live-part" aria-label="Servers">
      <header class="card-head cluster">
        <h2>Servers {servers && <span class="count">{servers.length}</span>}</h2>
      </header>
      <LoadState of={loaded} what="the servers" />
      {servers?.length === 0 && (
        <Empty icon="plug" title="No servers are configured">
          <a href={href(['setup'])}>Add one</a>, here or in the config. The gateway reloads the config automatically.
        </Empty>
      )}
      <ul class="lined">
        {servers?.map((server) => (
          <Upstream key={server.id} server={server} />
        ))}
      </ul>
    </section>
  )
}

/** One upstream server: its state, the reason, and a button to reconnect it. */
const Upstream = ({ server: { id, state, tools, since, restarts, why } }: { server: Server }) => (
  <li class="upstream">
    <span class={`dot ${serverStates[state].tone}`} aria-hidden="true" />
    <div>
      <p>
        <Text of={id} class="upstream-name" />{' '}
        <span class={`upstream-state little ${serverStates[state].tone}`}>{serverStates[state].words}</span>
      </p>
      <p class="muted little">
        {countText(tools, 'tool')} · since <Ago at={since} />
        {restartsText(restarts, ' · ')}
      </p>
      <Paragraph of={why} class="muted little" />
    </div>
    <WorkButton
      small
      variant="quiet"
      icon="restart"
      title="Closes the connection and opens a new one"
      work={() => postJson(`/servers/${pathSegment(id)}/restart`).then(() => toast(`${id} was restarted.`))}
    >
      Restart<span class="out-of-sight"> {markedText(id)}</span>
    </WorkButton>
  </li>
)
