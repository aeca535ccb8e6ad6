import { eventsOf, type History } from '../history.js'
import type { Violation } from './violation.js'

const tolerance = 1.1
const leastShare = 0.9

/** In no stretch of time were more calls executed than the limit allows; and without faults not fewer, where more were sent. */
export function checkRates(history: History): Violation[] {
  return [...tooMany(history), ...tooFew(history)].map((text) => ({ invariant: 'rate', text }))
}

function tooFew(history: History): string[] {
  if (eventsOf(history, 'fault').length > 0) return []
  return eventsOf(history, 'limit').flatMap(({ tool, perSecond, burst }) => {
    const sent = eventsOf(history, 'sent').filter((one) => one.tool === tool)
    const expected = allowedOf(
      sent.map(({ at }) => at),
      { perSecond, burst },
    )
    const calls = eventsOf(history, 'executed').filter((one) => one.tool === tool).length
    return calls < leastShare * expected ? [`${tool} was executed ${calls} times, where ${expected} were allowed`] : []
  })
}

/** How many of these calls a single limiter would let through: a bucket of tokens. */
function allowedOf(times: readonly number[], { perSecond, burst }: { perSecond: number; burst: number }): number {
  let allowed = 0
  let tokens = burst
  let last = times[0] ?? 0
  for (const at of times) {
    tokens = Math.min(burst, tokens + ((at - last) / 1_000) * perSecond)
    last = at
    if (tokens < 1) continue
    tokens--
    allowed++
  }
  return allowed
}

function tooMany(history: History): string[] {
  return eventsOf(history, 'limit').flatMap(({ tool, perSecond, burst }) => {
    const times = eventsOf(history, 'executed')
      .filter((one) => one.tool === tool)
      .map(({ at }) => at)
      .sort((a, b) => a - b)
    const most = worstStretch(times, perSecond, burst)
    if (most === undefined || most.ratio <= tolerance) return []
    return [`${tool} was executed ${most.calls} times within ${most.seconds.toFixed(1)} s, ${most.ratio.toFixed(2)} of its limit`]
  })
}

type Stretch = { readonly calls: number; readonly seconds: number; readonly ratio: number }

/** Stretches shorter than a second say more about the machine than about the limit. */
const shortest = 1

function worstStretch(times: readonly number[], perSecond: number, burst: number): Stretch | undefined {
  let worst: Stretch | undefined
  for (const [first, from] of times.entries())
    for (const [last, to] of times.entries()) {
      const seconds = (to - from) / 1_000
      if (seconds < shortest) continue
      const calls = last - first + 1
      const ratio = calls / (burst + perSecond * seconds)
      if (worst === undefined || ratio > worst.ratio) worst = { calls, seconds, ratio }
    }
  return worst
}
