import { getJson } from '../api/api.js'
import type { Approvals } from '../api/types.js'
import { useEvents, useLoaded } from '../api/use-loaded.js'
import { href } from '../page/route.js'
import { EffectBadge } from '../parts/EffectBadge.js'
import { Empty, Loading } from '../parts/Empty.js'
import { Problem } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'
import { Countdown } from '../parts/time/Time.js'

const mostShown = 5

/** The calls that wait for a yes or no, the most dangerous first. */
export function PendingApprovals() {
  const { value, trouble, reload } = useLoaded((signal) => getJson<Approvals>('/approvals', { limit: mostShown }, signal), [])
  useEvents(['approval'], reload)
  return (
    <section class="card overview-card" aria-label="To decide">
      <header>
        <h2>To decide</h2>
        {value && value.total > mostShown && <a href={href(['approvals'])}>all {value.total.toLocaleString()}</a>}
      </header>
      {trouble !== undefined && !value && (
        <Problem title="The pending calls could not be loaded" error={trouble} onRetry={reload} />
      )}
      {!value && trouble === undefined && <Loading what="what waits" />}
      {value?.approvals.length === 0 && (
        <Empty icon="approvals" title="No pending calls">
          Calls that need your decision appear here.
        </Empty>
      )}
      <ul class="waiting-list">
        {value?.approvals.map(({ id, tool, caller, claims, trusted, expiresAt }) => (
          <li key={id}>
            <a href={href(['approvals', id])}>
              <Text of={tool.name} mono line />
            </a>
            <Text of={caller} line class="muted" />
            <EffectBadge claims={claims} trusted={trusted} />
            <Countdown until={expiresAt} />
          </li>
        ))}
      </ul>
    </section>
  )
}
