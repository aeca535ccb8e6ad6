import { lastMinute } from '../calls/follow-calls.js'
import type { Second } from '../calls/last-minute.js'
import { currentTime } from '../parts/time/Time.js'

const width = 3
const height = 28

/** The calls of the last minute, a bar for each second; calls that did not succeed are on top. */
export function LastMinuteBars() {
  const bars = lastMinute.bars(currentTime.value)
  const most = Math.max(1, ...bars.map(({ ok, other }) => ok + other))
  const [ok, other] = [sumOf(bars, 'ok'), sumOf(bars, 'other')]
  return (
    <figure class="last-minute cluster muted little">
      <svg viewBox={`0 0 ${bars.length * width} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {bars.map((bar, at) => (
          <Bar key={bars.length - at} bar={bar} at={at} most={most} />
        ))}
      </svg>
      <figcaption>
        <span class="numbers">{(ok + other).toLocaleString()}</span> in the last minute
        {other > 0 && <span class="last-minute-other">, {other.toLocaleString()} failed</span>}
      </figcaption>
    </figure>
  )
}

function Bar({ bar: { ok, other }, at, most }: { bar: Second; at: number; most: number }) {
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * height))
  const [good, bad] = [heightOf(ok), heightOf(other)]
  const place = { x: at * width, width: width - 0.8 }
  return (
    <>
      <rect class="bar-rest" {...place} y={height - 1} height={1} />
      <rect class="bar-ok" {...place} y={height - good} height={good} />
      <rect class="bar-other" {...place} y={Math.max(0, height - good - bad)} height={bad} />
    </>
  )
}

const sumOf = (bars: readonly Second[], name: keyof Second): number => bars.reduce((sum, bar) => sum + bar[name], 0)
