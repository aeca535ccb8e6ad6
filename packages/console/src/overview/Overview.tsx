import 'uplot/dist/uPlot.min.css'
import '../styles/live.css'
import '../styles/overview.css'
import { useEffect } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { Stats } from '../api/types.js'
import { useLoaded } from '../api/use-loaded.js'
import { Upstreams } from '../live/Upstreams.js'
import { currentRoute, replaceRoute } from '../page/route.js'
import { AuditChain } from '../page/status/AuditChain.js'
import { gatewayStatus } from '../page/status/gateway-status.js'
import { Loading } from '../parts/Empty.js'
import { Icon } from '../parts/Icon.js'
import { Problem } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'
import { Time } from '../parts/time/Time.js'
import { View } from '../parts/View.js'
import { ChartChoices, chartGroupingNamed } from './ChartChoices.js'
import { Charts } from './Charts.js'
import { Figures } from './Figures.js'
import { LimitsReached } from './LimitsReached.js'
import { PendingApprovals } from './PendingApprovals.js'
import { timeRangeNamed } from './time-range.js'

const everyMs = 5_000

/** How things have been over time, and how they are. */
export default function Overview(_: { path: string[] }) {
  const { query } = currentRoute.value
  const [by, range] = [chartGroupingNamed(query.get('by')), timeRangeNamed(query.get('range'))]
  const wanted = { minutes: range.minutes, by: by === 'all' ? 'server' : by }
  const { value, trouble, reload } = useLoaded((signal) => getJson<Stats>('/stats', wanted, signal), [by, range.id])
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <View
      title="Overview"
      lead={value && leadOf(value)}
      actions={<ChartChoices by={by} range={range} onChange={(choice) => replaceRoute([], choice)} />}
    >
      <HealthProblems />
      <Figures stats={value} />
      {value && <Charts stats={value} range={range} isWhole={by === 'all'} />}
      {!value && trouble !== undefined && <Problem title="The numbers could not be loaded" error={trouble} onRetry={reload} />}
      {!value && trouble === undefined && <Loading what="the numbers" />}
      <div class="overview-rest">
        <div>
          <PendingApprovals />
          <LimitsReached limits={value?.limits} />
          <AuditChain />
        </div>
        <Upstreams />
      </div>
    </View>
  )
}

/** Where the log does not go as far back as the charts. */
const leadOf = ({ since, from }: Stats) =>
  since > from && (
    <>
      Calls are counted since <Time at={since} />.
    </>
  )

/** What is wrong, where something is. */
function HealthProblems() {
  const status = gatewayStatus.value
  if (!status || status.troubles.length === 0) return null
  return (
    <section class={`troubles ${status.status === 'failing' ? 'danger' : 'warning'}`} aria-label="Problems">
      <Icon name="warning" />
      <div>
        <h2>{status.status === 'failing' ? 'Calls are refused' : 'Problems were found'}</h2>
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
