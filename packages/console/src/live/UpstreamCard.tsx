import { useState } from 'preact/hooks'
import { pathSegment, postJson } from '../api/api.js'
import type { Server } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { errorText } from '../parts/Problem.js'
import { serverStates } from '../parts/server-states.js'
import { toast } from '../parts/Toast.js'
import { markedText } from '../parts/text/hidden-characters.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'

/** A server behind the gateway: its state, why, and a way to open it anew. */
export const UpstreamCard = ({ server }: { server: Server }) => (
  <li class="upstream">
    <span class={`dot ${serverStates[server.state].tone}`} aria-hidden="true" />
    <div class="upstream-words">
      <p>
        <Text of={server.id} class="upstream-name" />{' '}
        <span class={`upstream-state ${serverStates[server.state].tone}`}>{serverStates[server.state].words}</span>
      </p>
      <p class="muted little">{factsOf(server)}</p>
      {server.why !== undefined && (
        <p class="upstream-why little">
          <Text of={server.why} />
        </p>
      )}
    </div>
    <Restart id={server.id} />
  </li>
)

function factsOf({ tools, since, restarts }: Server) {
  return (
    <>
      {tools} {tools === 1 ? 'tool' : 'tools'} · since <Ago at={since} />
      {restarts > 0 && ` · restarted ${restarts === 1 ? 'once' : `${restarts} times`}`}
    </>
  )
}

function Restart({ id }: { id: string }) {
  const [isBusy, setBusy] = useState(false)
  async function restart(): Promise<void> {
    setBusy(true)
    try {
      await postJson(`/servers/${pathSegment(id)}/restart`)
      toast(`${id} was restarted.`)
    } catch (thrown) {
      toast(errorText(thrown), 'danger')
    }
    setBusy(false)
  }
  return (
    <Button
      small
      variant="quiet"
      icon="restart"
      busy={isBusy}
      title="Closes the connection and opens a new one"
      onClick={() => void restart()}
    >
      Restart<span class="out-of-sight"> {markedText(id)}</span>
    </Button>
  )
}
