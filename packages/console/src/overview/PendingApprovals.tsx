import type { Approvals } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { href } from '../page/route.js'
import { EffectBadge } from '../parts/EffectBadge.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { Text } from '../parts/text/Text.js'
import { Countdown } from '../parts/time/Time.js'

const mostShown = 5

export function PendingApprovals() {
  const loaded = useGet<Approvals>('/approvals', { limit: mostShown }, ['approval'])
  const { approvals = [], total = 0 } = loaded.value ?? {}
  return (
    <section class="card clip overview-card" aria-label="To decide">
      <header class="card-head bar">
        <h2>To decide</h2>
        {total > mostShown && <a href={href(['approvals'])}>all {total.toLocaleString()}</a>}
      </header>
      <LoadState of={loaded} what="the pending calls" title="The pending calls could not be loaded" />
      {loaded.value && approvals.length === 0 && (
        <Empty icon="approvals" title="No pending calls" text="Calls that need your decision appear here." />
      )}
      <ul class="waiting-list lined">
        {approvals.map(({ id, tool, caller, claims, trusted, expiresAt }) => (
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
