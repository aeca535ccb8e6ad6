import type { ComponentChildren } from 'preact'
import type { Stats } from '../api/types.js'
import { href, type RoutePlace } from '../page/route.js'
import { heldBackCount, pendingCount } from '../page/status/gateway-status.js'
import { formatDuration } from '../parts/time/format-time.js'
import { sum } from './chart-data.js'

/** The few numbers that say how things are. */
export function Figures({ stats }: { stats: Stats | undefined }) {
  const { calls = [], errors = [], refused = [], p95 = [] } = stats?.total ?? {}
  const [all, failed, denied] = [sum(calls), sum(errors), sum(refused)]
  const slow = Math.max(0, ...p95.filter((value) => value !== null))
  const pending = pendingCount.value
  return (
    <ul class="figures">
      <Figure name="Calls" value={all.toLocaleString()} more={stats && `${perMinute(stats)} a minute`} />
      <Figure
        name="Errors"
        value={failed.toLocaleString()}
        more={shareOf(failed, all)}
        tone={failed > 0 ? 'danger' : undefined}
      />
      <Figure
        name="Refused"
        value={denied.toLocaleString()}
        more={shareOf(denied, all)}
        tone={denied > 0 ? 'warning' : undefined}
      />
      <Figure name="Slowest p95" value={all === 0 ? '–' : formatDuration(slow)} more="of any step" />
      <Figure
        name="To decide"
        value={pending.toLocaleString()}
        to={['approvals']}
        tone={pending > 0 ? 'warning' : undefined}
        more="approvals"
      />
      <Figure
        name="Kept back"
        value={heldBackCount.value.toLocaleString()}
        to={['exposed']}
        tone={heldBackCount.value > 0 ? 'warning' : undefined}
        more="tools"
      />
    </ul>
  )
}

type Props = {
  readonly name: string
  readonly value: ComponentChildren
  readonly more?: ComponentChildren
  readonly tone?: 'danger' | 'warning' | undefined
  readonly to?: RoutePlace
}

const Figure = ({ name, value, more, tone, to }: Props) => (
  <li class="card figure">
    <p class="figure-name">{to ? <a href={href(to)}>{name}</a> : name}</p>
    <p class={`figure-value numbers ${tone ?? ''}`}>{value}</p>
    <p class="figure-more">{more}</p>
  </li>
)

const shareOf = (count: number, all: number): string =>
  all === 0 ? 'of none' : `${((100 * count) / all).toFixed(count > 0 && count / all < 0.1 ? 1 : 0)} %`

function perMinute({ total, stepMs }: Stats): string {
  const minutes = (total.calls.length * stepMs) / 60_000
  return minutes === 0 ? '0' : (sum(total.calls) / minutes).toLocaleString(undefined, { maximumFractionDigits: 1 })
}
