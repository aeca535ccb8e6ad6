import { eventsOf, type History } from '../history.js'
import type { Violation } from './violation.js'

const tolerance = 1.1
const leastShare = 0.9

/** In no period are more calls executed than the limit allows. Without faults, nearly all allowed calls are executed. */
export function checkRates(history: History): Violation[] {
  return [...tooMany(history), ...tooFew(history)].map((text) => ({ invariant: 'rate', text }))
}

/** Calls are executed some time after they are admitted, so a few may arrive closer together than they were requested. */
const slack = 2

function tooFew(history: History): string[] {
  if (eventsOf(history, 'fault').length > 0) return []
  return eventsOf(history, 'limit').flatMap(({ tool, perSecond, burst }) => {
    const made = executedTimes(history, tool)
    const times = [...made, ...refusedTimes(history, tool)].sort((a, b) => a - b)
    const expected = allowedOf(times, { perSecond, burst })
    const isEnough = made.length >= leastShare * expected - slack
    return isEnough ? [] : [`${tool} was executed ${made.length} times; the limit allows ${expected}`]
  })
}

const executedTimes = (history: History, tool: string): number[] =>
  eventsOf(history, 'executed').flatMap((one) => (one.tool === tool ? [one.at] : []))

type OutcomeText = { readonly tool?: string; readonly reason?: string; readonly at?: number }

/** Times of refusals from the audit log: clients may have sent those calls much earlier. */
const refusedTimes = (history: History, tool: string): number[] =>
  eventsOf(history, 'audit').flatMap(({ text }) => {
    const { tool: name, reason, at } = JSON.parse(text) as OutcomeText // checked by its hash elsewhere
    return reason === 'rate-limited' && name?.endsWith(`__${tool}`) && at !== undefined ? [at] : []
  })

/** Number of these calls that a single token bucket would admit. */
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
    const times = executedTimes(history, tool).sort((a, b) => a - b)
    const most = worstStretch(times, perSecond, burst)
    if (most === undefined || most.ratio <= tolerance) return []
    return [`${tool} was executed ${most.calls} times within ${most.seconds.toFixed(1)} s, ${most.ratio.toFixed(2)} of its limit`]
  })
}

type Stretch = { readonly calls: number; readonly seconds: number; readonly ratio: number }

/** Shorter periods depend more on the machine than on the limit. */
const shortest = 1

function worstStretch(times: readonly number[], perSecond: number, burst: number): Stretch | undefined {
  let worst: Stretch | undefined
  for (const [first, from] of times.entries())
    for (const [last, to] of times.entries()) {
      const seconds = (to - from) / 1_000
      if (seconds < shortest) continue
      const calls = last - first + 1
      const ratio = (calls - slack) / (burst + perSecond * seconds)
      if (worst === undefined || ratio > worst.ratio) worst = { calls, seconds, ratio }
    }
  return worst
}
