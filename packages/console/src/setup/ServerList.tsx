import { useState } from 'preact/hooks'
import type { Server, Servers } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { currentRoute, goTo, href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Choice } from '../parts/Choice.js'
import { countText } from '../parts/count-text.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { ServerState, serverStates } from '../parts/ServerState.js'
import { ListHeader, matchesWords } from '../parts/table/ListHeader.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { targetLine } from './CommandLine.js'
import { EditServer } from './EditServer.js'
import { ServerDialog } from './ServerDialog.js'

export function ServerList() {
  const loaded = useGet<Servers>('/servers', {}, ['upstream', 'config', 'pin'])
  const [{ text, state }, narrow] = useState<{ text: string; state: Server['state'] | '' }>({ text: '', state: '' })
  const [isAdding, setAdding] = useState(false)
  const { value, reload } = loaded
  const loadState = <LoadState of={loaded} what="the servers" />
  if (!value) return loadState
  const { servers } = value
  const shown = servers.filter(
    (one) => (state === '' || one.state === state) && matchesWords(text, one.id, targetLine(one), one.state, one.why ?? ''),
  )
  const states = [...new Set(servers.map((one) => one.state))].sort()
  const chosen = servers.find(({ id }) => id === currentRoute.value.path[0])
  return (
    <section class="card clip" aria-label="Servers of the config">
      <ListHeader label="Name, command or address" text={text} onText={(next) => narrow({ text: next, state })}>
        <Choice
          aria-label="State"
          value={state}
          choices={[['', 'Any state'], ...states.map((one) => [one, serverStates[one].words] as const)]}
          onChange={(next) => narrow({ text, state: next })}
        />
        <Button variant="primary" class="push" onClick={() => setAdding(true)}>
          Add a server …
        </Button>
      </ListHeader>
      {loadState}
      {servers.length === 0 ? (
        <Empty icon="plug" title="No servers are configured" text="Add one, and its tools are offered when it is ready." />
      ) : shown.length === 0 ? (
        <Empty icon="search" title="No server matches">
          <Button small onClick={() => narrow({ text: '', state: '' })}>
            Show all servers
          </Button>
        </Empty>
      ) : (
        <VirtualTable
          label="Servers"
          class="setup-rows"
          rows={shown}
          columns={columns}
          keyOf={({ id }) => id}
          height={52}
          current={chosen?.id}
          onOpen={({ id }) => goTo(['setup', id])}
        />
      )}
      {isAdding && <EditServer onClose={() => setAdding(false)} onDone={reload} />}
      {chosen && <ServerDialog key={chosen.id} server={chosen} onClose={() => goTo(['setup'])} onChange={reload} />}
    </section>
  )
}

const columns: readonly Column<Server>[] = [
  {
    title: 'Server',
    width: '2fr',
    cell: ({ id, tools }) => (
      <div class="two-lines">
        <span>
          <a href={href(['setup', id])}>
            <Text of={id} line />
          </a>
        </span>
        <span class="little muted">{countText(tools, 'tool')}</span>
      </div>
    ),
  },
  {
    title: 'State',
    width: '2fr',
    cell: ({ state, why }) => (
      <div class="two-lines">
        <ServerState of={state} />
        <Text of={why} line class="little muted" />
      </div>
    ),
  },
  { title: 'Program or address', width: '5fr', wideOnly: true, cell: (server) => <Text of={targetLine(server)} mono line /> },
  { title: 'Hints', width: '7rem', wideOnly: true, cell: ({ trusted }) => <TrustBadge trusted={trusted} /> },
  { title: 'Since', width: '8.5rem', wideOnly: true, cell: ({ since }) => <Ago at={since} /> },
]

const TrustBadge = ({ trusted }: Pick<Server, 'trusted'>) =>
  trusted ? <Badge tone="info">trusted</Badge> : <Badge>unverified</Badge>
