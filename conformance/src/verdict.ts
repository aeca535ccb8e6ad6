// Reads what a scenario found more strictly than the suite does: it ticks off warnings, skipped checks and scenarios without a
// single check; here all of them are failures.
import type { Revision } from './plan.js'
import type { Run } from './suite.js'

/** One thing a scenario looked at, as the suite writes it down. */
export type Check = {
  readonly id: string
  /** Where several checks share an id, this tells them apart. */
  readonly name?: string
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
  'incoming-request',
  'outgoing-request',
  'incoming-response',
  'outgoing-response',
  'incoming-sse-event',
  'outgoing-sse-event',
  'outgoing-stream-close',
  'stream-closed',
  'server-sse-streams-functional',
  'server-info', // what the suite's own server called itself
  'incoming-auth-request',
  'outgoing-auth-response',
  'scope-retry-auth-attempt', // counted, and judged by another check
])

/** Checks of what only a later revision asks for; the suite skips them where they are not met. */
const comesLater: Readonly<Record<Revision, readonly string[]>> = {
  '2025-03-26': ['sep-2106-'],
  '2025-11-25': ['sep-2106-'],
  '2026-07-28': [],
}

/** Checks of messages that the revision no longer has; the suite waits for them in vain. */
const goneBefore: Readonly<Record<Revision, readonly string[]>> = {
  '2025-03-26': [],
  '2025-11-25': [],
  '2026-07-28': ['ClientMcpMethodHeader_initialize', 'ClientMcpMethodHeader_notifications_initialized'],
}

export function judge(scenario: string, revision: Revision, checks: readonly Check[]): Verdict {
  if (notJudged.has(scenario) && checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED'))
    return { outcome: 'not judged', reasons: ['the suite skips its only check'] }
  const reasons = checks.filter((check) => isFailure(check, revision)).map(reasonOf)
  if (reasons.length > 0) return { outcome: 'failed', reasons }
  if (!checks.some(({ status }) => status === 'SUCCESS')) return { outcome: 'failed', reasons: ['nothing was checked'] }
  return { outcome: 'passed', reasons: [] }
}

/** The suite forgives some clients a bad end, and tells of it only in what it prints. */
export function withProcess(verdict: Verdict, { output, exitCode }: Run): Verdict {
  const told = /^Client (?:exited with code|timed out after) .*/m.exec(output)?.[0]
  if (told !== undefined) return { outcome: 'failed', reasons: [...verdict.reasons, `${told}${lastWords(output)}`] }
  return exitCode !== 0 && verdict.outcome === 'passed' ? failed(`the suite ended with exit code ${exitCode}`) : verdict
}

/** The error that a client died of, as Node prints it below the line of code that threw it. */
function lastWords(output: string): string {
  const [, words] = /^Stderr:\n[\s\S]*?^(\w+: .+)$/m.exec(output) ?? []
  return words === undefined ? '' : `: ${words}`
}

export const failed = (reason: string): Verdict => ({ outcome: 'failed', reasons: [reason] })

function isFailure({ id, name = id, status }: Check, revision: Revision): boolean {
  if (status === 'SKIPPED')
    return !goneBefore[revision].includes(name) && !comesLater[revision].some((prefix) => id.startsWith(prefix))
  return status !== 'SUCCESS' && !(status === 'INFO' && harmless.has(id))
}

const reasonOf = ({ id, status, errorMessage, description }: Check): string =>
  `${status} ${id}: ${errorMessage ?? description ?? ''}`
