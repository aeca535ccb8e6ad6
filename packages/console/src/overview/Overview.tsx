import 'uplot/dist/uPlot.min.css'
import '../styles/live.css'
import '../styles/overview.css'
import { useEffect } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { LimitReached, Stats, StatsBy } from '../api/types.js'
import { useLoaded } from '../api/use-loaded.js'
import { Upstreams } from '../live/Upstreams.js'
import { currentRoute, replaceRoute } from '../page/route.js'
import { AuditChain } from '../page/status/AuditChain.js'
import { gatewayStatus } from '../page/status/gateway-status.js'
import { Badge } from '../parts/Badge.js'
import { Choice } from '../parts/Choice.js'
import { Icon } from '../parts/Icon.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { Table, type TableColumn } from '../parts/table/Table.js'
import { Text } from '../parts/text/Text.js'
import { Ago, Time } from '../parts/time/Time.js'
import { View } from '../parts/View.js'
import { Charts } from './Charts.js'
import { timeRangeNamed, timeRanges } from './chart-data.js'
import { Figures } from './Figures.js'
import { PendingApprovals } from './PendingApprovals.js'

const everyMs = 5_000

/** The grouping of the charts' lines; `all` is one line for all calls. */
type ChartGrouping = 'all' | StatsBy
const groupings = [
  ['all', 'All calls'],
  ['tool', 'By tool'],
  ['caller', 'By caller'],
  ['server', 'By server'],
] as const satisfies readonly (readonly [ChartGrouping, string])[]
const ranges = timeRanges.map(({ id, label }) => [id, `Last ${label}`] as const)

/** Charts over time, and the current state of the gateway. */
export default function Overview(_: { path: string[] }) {
  const { query } = currentRoute.value
  const [by] = groupings.find(([id]) => id === query.get('by')) ?? groupings[0]
  const range = timeRangeNamed(query.get('range'))
  // The numbers are shown under the choices that they were loaded for.
  const loaded = useLoaded(
    async (signal) => {
      const query = { minutes: range.minutes, by: by === 'all' ? 'server' : by }
      return { stats: await getJson<Stats>('/stats', query, signal), range, isWhole: by === 'all' }
    },
    [range.id, by],
  )
  const { value, reload } = loaded
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs)
    return () => clearInterval(timer)
  }, [reload])
  const choices = (
    <>
      <Choice
        aria-label="Lines"
        value={by}
        choices={groupings}
        onChange={(next) => replaceRoute([], { by: next, range: range.id })}
      />
      <Choice aria-label="Time" value={range.id} choices={ranges} onChange={(next) => replaceRoute([], { by, range: next })} />
    </>
  )
  return (
    <View title="Overview" lead={value && leadOf(value.stats)} actions={choices}>
      <HealthProblems />
      <Figures stats={value?.stats} />
      {value && <Charts {...value} />}
      <LoadState of={loaded} what="the numbers" />
      <div class="overview-rest">
        <div class="stack far">
          <PendingApprovals />
          {value && <LimitsReached limits={value.stats.limits} />}
          <ConfigVersion />
          <AuditChain />
        </div>
        <Upstreams />
      </div>
    </View>
  )
}

/** Shown if the log begins later than the charts. */
const leadOf = ({ since, from }: Stats) =>
  since > from && (
    <>
      Calls are counted since <Time at={since} />.
    </>
  )

/** The gateway's current health problems, if any. */
function HealthProblems() {
  const status = gatewayStatus.value
  if (!status || status.troubles.length === 0) return null
  const isFailing = status.status === 'failing'
  return (
    <section class={`notice framed with-icon ${isFailing ? 'danger' : 'warning'}`} aria-label="Problems">
      <Icon name="warning" />
      <div>
        <h2>{isFailing ? 'Calls are refused' : 'Problems were found'}</h2>
        <ul>
          {status.troubles.map((trouble) => (
            <li key={trouble}>
              <Text of={trouble} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** The version of the database config that this replica uses; nothing if the config is a file. */
function ConfigVersion() {
  const { inForce = 0, newest = 0 } = gatewayStatus.value?.configVersion ?? {}
  if (newest === 0) return null
  const isNewest = inForce === newest
  return (
    <section class="card clip overview-card" aria-label="Config">
      <header class="card-head bar">
        <h2>Config</h2>
        {isNewest ? <Badge tone="ok">newest version</Badge> : <Badge tone="warning">not the newest version</Badge>}
      </header>
      <p>
        {inForce === 0 ? 'No version' : `Version ${inForce}`} is in force at this replica.
        {!isNewest && ` The newest version in the database is ${newest}.`}
      </p>
    </section>
  )
}

/** The callers that have reached a rate limit. */
const LimitsReached = ({ limits }: { limits: readonly LimitReached[] }) => (
  <section class="card clip overview-card" aria-label="Limits reached">
    <header class="card-head bar">
      <h2>Limits reached</h2>
    </header>
    {limits.length === 0 ? (
      <Empty icon="check" title="No rate limits reached" text="Callers who exceed a rate limit appear here." />
    ) : (
      <Table columns={limitColumns} rows={limits.slice(0, 8)} />
    )}
  </section>
)

const limitColumns: readonly TableColumn<LimitReached>[] = [
  { head: 'Tool', cell: ({ tool }) => <Text of={tool} mono /> },
  { head: 'Caller', cell: ({ caller }) => <Text of={caller} /> },
  { head: 'Times', class: 'numbers', cell: ({ count }) => count.toLocaleString() },
  { head: 'Last', cell: ({ lastAt }) => <Ago at={lastAt} /> },
]
