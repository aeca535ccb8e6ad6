import type { Stats } from '../api/types.js'
import { href } from '../page/route.js'
import { pendingCount, withheldCount } from '../page/status/gateway-status.js'
import { formatDuration } from '../parts/time/format-time.js'
import { sum } from './chart-data.js'

export function Figures({ stats }: { stats: Stats | undefined }) {
  const { calls = [], errors = [], refused = [], p95 = [] } = stats?.total ?? {}
  const [all, failed, denied] = [sum(calls), sum(errors), sum(refused)]
  const slow = Math.max(0, ...p95.filter((value) => value !== null))
  return (
    <ul class="figures">
      <Figure name="Calls" value={all} more={stats && `${perMinute(stats)} a minute`} />
      <Figure name="Errors" value={failed} more={shareOf(failed, all)} tone="danger" />
      <Figure name="Refused" value={denied} more={shareOf(denied, all)} tone="warning" />
      <Figure name="Slowest p95" value={all === 0 ? '–' : formatDuration(slow)} more="with waits for approval" />
      <Figure name="To decide" value={pendingCount.value} view="approvals" tone="warning" more="approvals" />
      <Figure name="Withheld" value={withheldCount.value} view="exposed" tone="warning" more="tools" />
    </ul>
  )
}

type Props = {
  readonly name: string
  readonly value: number | string
  readonly more: string | undefined
  /** Used unless the number is 0. */
  readonly tone?: 'danger' | 'warning'
  /** The view that it links to. */
  readonly view?: string
}

const Figure = ({ name, value, more, tone, view }: Props) => (
  <li class="card figure">
    <p class="figure-name muted little">{view ? <a href={href([view])}>{name}</a> : name}</p>
    <p class={`figure-value numbers ${value === 0 ? '' : (tone ?? '')}`}>{value.toLocaleString()}</p>
    <p class="figure-more muted">{more}</p>
  </li>
)

const shareOf = (count: number, all: number): string =>
  all === 0 ? 'of none' : `${((100 * count) / all).toFixed(count > 0 && count / all < 0.1 ? 1 : 0)} %`

function perMinute({ total, stepMs }: Stats): string {
  const minutes = (total.calls.length * stepMs) / 60_000
  return minutes === 0 ? '0' : (sum(total.calls) / minutes).toLocaleString(undefined, { maximumFractionDigits: 1 })
}
