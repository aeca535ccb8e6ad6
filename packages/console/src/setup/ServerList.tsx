import { useState } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { Server, Servers } from '../api/types.js'
import { useEvents, useLoaded } from '../api/use-loaded.js'
import { currentRoute, goTo, href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Empty, Loading } from '../parts/Empty.js'
import { Problem } from '../parts/Problem.js'
import { serverStates } from '../parts/server-states.js'
import { ListHeader, matchesWords } from '../parts/table/ListHeader.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { EditServer } from './EditServer.js'
import { ServerDialog } from './ServerDialog.js'
import { targetLine } from './target-text.js'

/** The servers of the config, each with ways to change it. */
export function ServerList() {
  const { value, trouble, reload } = useLoaded((signal) => getJson<Servers>('/servers', {}, signal), [])
  useEvents(['upstream', 'config', 'pin'], reload)
  const [text, setText] = useState('')
  const [state, setState] = useState('')
  const [isAdding, setAdding] = useState(false)
  if (!value)
    return trouble ? (
      <Problem title="The servers could not be loaded" error={trouble} onRetry={reload} />
    ) : (
      <Loading what="the servers" />
    )
  const { servers } = value
  const shown = servers.filter(
    (one) => (state === '' || one.state === state) && matchesWords(text, one.id, targetLine(one), one.state, one.why ?? ''),
  )
  const [, opened] = currentRoute.value.path.length > 0 ? [undefined, currentRoute.value.path[0]] : []
  const chosen = servers.find(({ id }) => id === opened)
  return (
    <section class="card setup-list" aria-label="Servers of the config">
      <ListHeader label="Name, command or address" text={text} onText={setText}>
        <select aria-label="State" value={state} onChange={({ currentTarget }) => setState(currentTarget.value)}>
          <option value="">Any state</option>
          {[...new Set(servers.map((one) => one.state))].sort().map((one) => (
            <option key={one} value={one}>
              {serverStates[one].words}
            </option>
          ))}
        </select>
        <Button variant="primary" onClick={() => setAdding(true)}>
          Add a server …
        </Button>
      </ListHeader>
      {servers.length === 0 ? (
        <Empty icon="plug" title="No servers are configured">
          Add one, and its tools are offered when it is ready.
        </Empty>
      ) : shown.length === 0 ? (
        <Empty icon="search" title="No server matches">
          <Button
            small
            onClick={() => {
              setText('')
              setState('')
            }}
          >
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
    cell: (server) => (
      <div class="two-lines">
        <span>
          <a href={href(['setup', server.id])}>
            <Text of={server.id} line />
          </a>
        </span>
        <span class="little muted">
          {server.tools} {server.tools === 1 ? 'tool' : 'tools'}
        </span>
      </div>
    ),
  },
  {
    title: 'State',
    width: '2fr',
    cell: ({ state, why }) => (
      <div class="two-lines">
        <span class="setup-state">
          <span class={`dot ${serverStates[state].tone}`} aria-hidden="true" /> {serverStates[state].words}
        </span>
        {why !== undefined && <Text of={why} line class="little muted" />}
      </div>
    ),
  },
  {
    title: 'Program or address',
    width: '5fr',
    wideOnly: true,
    cell: (server) => <Text of={targetLine(server)} mono line />,
  },
  {
    title: 'Hints',
    width: '7rem',
    wideOnly: true,
    cell: ({ trusted }) => (trusted ? <Badge tone="info">trusted</Badge> : <Badge>unverified</Badge>),
  },
  { title: 'Since', width: '8.5rem', wideOnly: true, cell: ({ since }) => <Ago at={since} /> },
]
