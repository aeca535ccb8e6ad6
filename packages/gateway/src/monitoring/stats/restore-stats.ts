// Restores the statistics from the audit log after a restart.

import type { AuditCall } from '../../store/audit/audit-query.js'
import type { Store } from '../../store/store.js'
import { CallStats } from './stats.js'

const dayMs = 86_400_000
/** As many calls as can be read within seconds. If there are more, the charts show since when they count. */
const mostCalls = 200_000

type Over = { readonly call: AuditCall; readonly outcome: string; readonly endedAt: number }

/** Adds the calls of the last day to the current counts. This may take a while, but does not delay anything else. */
export async function restoreStats(stats: CallStats, { audit }: Pick<Store, 'audit'>, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now()
  let now = startedAt - dayMs
  const past = new CallStats(() => now)
  let waiting: Over[] = []
  const from = now
  let since = startedAt

  /** The log has calls in the order of their beginnings, so longer calls wait here until their end is reached. */
  function countUntil(moment: number): void {
    waiting.sort((a, b) => a.endedAt - b.endedAt)
    const over = waiting.filter(({ endedAt }) => endedAt <= moment)
    waiting = waiting.slice(over.length)
    for (const { call, outcome, endedAt } of over) {
      now = endedAt
      const { tool, caller, server = '', reason, durationMs = 0 } = call
      // The log does not say whether `busy` was a limit, so these calls count as refused only.
      past.ended({ tool, caller, server, outcome, isLimited: reason === 'rate-limited', ms: durationMs })
    }
  }

  for await (const page of audit.past({ from, most: mostCalls, signal })) {
    // If the log begins later, or has too many calls, nothing is known about the time before.
    for (const { at } of page) since = Math.min(since, Math.max(at, from))
    waiting.push(...page.filter(({ at }) => at >= from).flatMap(overIn))
    countUntil(page.at(-1)?.at ?? now)
  }
  if (signal.aborted) return
  countUntil(startedAt)
  stats.absorb(past, since)
}

/** Skips calls without an outcome, and actions on the gateway itself. */
function overIn(call: AuditCall): Over[] {
  const { tool, outcome, at, durationMs = 0 } = call
  return outcome === undefined || tool.startsWith('toolwire/') ? [] : [{ call, outcome, endedAt: at + durationMs }]
}
