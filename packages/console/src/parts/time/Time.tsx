import { signal } from '@preact/signals'
import { gatewayNow } from '../../api/gateway-clock.js'
import { formatAgo, formatClock, formatDuration, formatFullTime, formatTime, isValidTime } from './format-time.js'

const attributes = (at: number) => ({
  ...(isValidTime(at) && { dateTime: new Date(at).toISOString() }),
  title: formatFullTime(at),
})

/** A time (milliseconds since 1970) in the user's time zone. */
export const Time = ({ at }: { at: number }) => (
  <time class="time" {...attributes(at)}>
    {formatTime(at, gatewayNow())}
  </time>
)

/** The time since an event, kept up to date. */
export const Ago = ({ at }: { at: number }) => (
  <time class="time" {...attributes(at)}>
    {formatAgo(at, Math.max(currentTime.value, at))}
  </time>
)

/** The duration of something that is still going on, kept up to date. */
export const Elapsed = ({ since }: { since: number }) => (
  <span class="time">{formatDuration(Math.max(0, currentTime.value - since))}</span>
)

const urgentMs = 30_000

export function Countdown({ until, over = 'over' }: { until: number; over?: string }) {
  const left = until - currentTime.value
  return (
    <time class={left < urgentMs ? 'time countdown urgent' : 'time countdown'} {...attributes(until)}>
      {left <= 0 ? over : formatClock(left + 999)}
    </time>
  )
}

/** The current time at the gateway, updated each second while it is in use. */
export const currentTime = signal(gatewayNow(), {
  watched() {
    timer = setInterval(() => {
      currentTime.value = gatewayNow()
    }, 1_000)
  },
  unwatched() {
    clearInterval(timer)
  },
})

let timer: ReturnType<typeof setInterval> | undefined
