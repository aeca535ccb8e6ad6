// Judges results more strictly than the suite, which accepts warnings, skipped checks and scenarios without any check. Here all of these
// are failures.
import type { Revision } from './plan.js'
import type { Run } from './suite.js'

/** One check of a scenario, in the suite's format. */
export type Check = {
  readonly id: string
  /** Distinguishes checks with the same id. */
  readonly name?: string
  readonly status: string
  readonly errorMessage?: string
  readonly description?: string
  readonly details?: unknown
}

export type Verdict = { readonly outcome: 'passed' | 'failed' | 'not judged'; readonly reasons: readonly string[] }

/** Scenarios whose only check the suite always skips. */
export const notJudged: ReadonlySet<string> = new Set(['tasks-status-notifications'])

/** Notes about traffic, and about streams that a server may choose to use. Any other note means that something was not checked. */
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
  'server-info', // the name that the suite's own server gives itself
  'incoming-auth-request',
  'outgoing-auth-response',
  'scope-retry-auth-attempt', // counted, and judged by another check
])

/** Checks of later revisions, which the suite skips if they are not met. */
const laterChecks: Readonly<Record<Revision, readonly string[]>> = {
  '2025-03-26': ['sep-2106-'],
  '2025-11-25': ['sep-2106-'],
  '2026-07-28': [],
}

/** Checks of messages that the revision has removed; the suite never receives them. */
const removedChecks: Readonly<Record<Revision, readonly string[]>> = {
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

/** The suite tolerates some failed clients and mentions them only in its output. */
export function withProcess(verdict: Verdict, { output, exitCode }: Run): Verdict {
  const failure = /^Client (?:exited with code|timed out after) .*/m.exec(output)?.[0]
  if (failure !== undefined) return { outcome: 'failed', reasons: [...verdict.reasons, `${failure}${lastWords(output)}`] }
  return exitCode !== 0 && verdict.outcome === 'passed' ? failed(`the suite ended with exit code ${exitCode}`) : verdict
}

/** The error that ended a client; Node prints it below the failing line. */
function lastWords(output: string): string {
  const [, words] = /^Stderr:\n[\s\S]*?^(\w+: .+)$/m.exec(output) ?? []
  return words === undefined ? '' : `: ${words}`
}

export const failed = (reason: string): Verdict => ({ outcome: 'failed', reasons: [reason] })

function isFailure({ id, name = id, status }: Check, revision: Revision): boolean {
  if (status === 'SKIPPED')
    return !removedChecks[revision].includes(name) && !laterChecks[revision].some((prefix) => id.startsWith(prefix))
  return status !== 'SUCCESS' && !(status === 'INFO' && harmless.has(id))
}

const reasonOf = ({ id, status, errorMessage, description }: Check): string =>
  `${status} ${id}: ${errorMessage ?? description ?? ''}`
