// Reads what a scenario found more strictly than the suite does: it ticks off warnings, skipped checks and scenarios without a
// single check; here all of them are failures.
import type { Revision } from './plan.js'

/** One thing a scenario looked at, as the suite writes it down. */
export type Check = {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
  readonly description?: string
  readonly details?: unknown
}

export type Verdict = { readonly outcome: 'passed' | 'failed' | 'not judged'; readonly reasons: readonly string[] }

/** The suite cannot look at these: it skips its only check whatever the server does. */
export const notJudged: ReadonlySet<string> = new Set(['tasks-status-notifications'])

/** Notes about the traffic, and about streams that are a server's choice. Any other note says that something was not looked at. */
const harmless: ReadonlySet<string> = new Set([
  'outgoing-request',
  'incoming-response',
  'incoming-sse-event',
  'stream-closed',
  'server-sse-streams-functional',
])

/** Checks of what only a later revision asks for; the suite skips them where they are not met. */
const comesLater: Readonly<Record<Revision, readonly string[]>> = { '2025-11-25': ['sep-2106-'], '2026-07-28': [] }

export function judge(scenario: string, revision: Revision, checks: readonly Check[]): Verdict {
  if (notJudged.has(scenario) && checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED'))
    return { outcome: 'not judged', reasons: ['the suite skips its only check'] }
  const reasons = checks.filter((check) => isFailure(check, revision)).map(reasonOf)
  if (reasons.length > 0) return { outcome: 'failed', reasons }
  if (!checks.some(({ status }) => status === 'SUCCESS')) return { outcome: 'failed', reasons: ['nothing was checked'] }
  return { outcome: 'passed', reasons: [] }
}

export const failed = (reason: string): Verdict => ({ outcome: 'failed', reasons: [reason] })

function isFailure({ id, status }: Check, revision: Revision): boolean {
  if (status === 'SKIPPED') return !comesLater[revision].some((prefix) => id.startsWith(prefix))
  return status !== 'SUCCESS' && !(status === 'INFO' && harmless.has(id))
}

const reasonOf = ({ id, status, errorMessage, description }: Check): string =>
  `${status} ${id}: ${errorMessage ?? description ?? ''}`
