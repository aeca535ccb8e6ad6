import { now } from './clock.js'
import { ago, clockSpan, isMoment, moment, span, wholeMoment } from './time-words.js'

const attributes = (at: number) => ({
  ...(isMoment(at) && { dateTime: new Date(at).toISOString() }),
  title: wholeMoment(at),
})

/** A moment (milliseconds since 1970) in the reader's zone. */
export const Time = ({ at }: { at: number }) => (
  <time class="time" {...attributes(at)}>
    {moment(at)}
  </time>
)

/** How long ago something was, kept up to date. */
export const Ago = ({ at }: { at: number }) => (
  <time class="time" {...attributes(at)}>
    {ago(at, Math.max(now.value, at))}
  </time>
)

/** How long something has been going on, kept up to date. */
export const Elapsed = ({ since }: { since: number }) => <span class="time">{span(Math.max(0, now.value - since))}</span>

const urgentMs = 30_000

/** How much time is left until a moment. */
export function Countdown({ until, over = 'over' }: { until: number; over?: string }) {
  const left = until - now.value
  return (
    <time class={left < urgentMs ? 'time countdown urgent' : 'time countdown'} {...attributes(until)}>
      {left <= 0 ? over : clockSpan(left + 999)}
    </time>
  )
}
