import { sharedDeadline } from '../../bounds/deadline.js'
import { isPending, thenOrNow } from '../../bounds/then-or-now.js'
import type { AuditLog, RecordParts } from './log.js'
import type { AuditIntent, AuditOutcome, AuditRecordBase, CallEnding } from './record.js'

export type EndedCall = { readonly ending: CallEnding; readonly startedAt: number }
type RecordPlace = Pick<AuditLog, 'append'> & { readonly parts: RecordParts | undefined; readonly waitMs: number }
export type RecordKeeper = ReturnType<typeof recordKeeper>

/** Writes the records of calls, and waits at most `waitMs` for each. */
export function recordKeeper({ append, parts, waitMs }: RecordPlace) {
  const inTime = sharedDeadline(waitMs)
  let trouble: unknown

  const fail = (thrown: unknown): never => {
    trouble = thrown
    throw thrown
  }
  const succeed = () => {
    trouble = undefined
  }

  /** Returns, or its promise resolves, when the record is safe. */
  function keep(write: () => void | Promise<void>, intended?: AuditRecordBase): void | Promise<void> {
    let written: void | Promise<void>
    try {
      written = write()
    } catch (thrown) {
      return fail(thrown)
    }
    if (!isPending(written)) return succeed()
    const startedAt = performance.now()
    const pending = written
    return inTime(pending).then(succeed, (thrown) => {
      // The call is refused. If its intent is written after all, an outcome in the log says so.
      if (intended) pending.then(() => append(outcomeOf(intended, unrecorded, since(startedAt)))).catch(leftOpen)
      return fail(thrown)
    })
  }

  return {
    /** Why the last record could not be written. */
    get trouble() {
      return trouble
    },
    intend(about: AuditRecordBase, args: () => AuditIntent['arguments'] | Promise<AuditIntent['arguments']>) {
      const write = (kept: AuditIntent['arguments']) => (parts ? parts.intend(about, kept) : append(intentOf(about, kept)))
      return keep(() => thenOrNow(args(), write), about)
    },
    end(about: AuditRecordBase, { ending, startedAt }: EndedCall) {
      const durationMs = since(startedAt)
      return keep(() => (parts ? parts.end(about, ending, durationMs) : append(outcomeOf(about, ending, durationMs))))
    },
  }
}

// Members are listed one by one, because spreading takes several times as long.
const intentOf = (about: AuditRecordBase, args: AuditIntent['arguments']): AuditIntent => {
  const { id, at, server, serverIdentity, tool, definitionHash, caller, continued } = about
  return { kind: 'intent', id, at, server, serverIdentity, tool, definitionHash, caller, continued, arguments: args }
}

const outcomeOf = (
  about: AuditRecordBase,
  { decision, outcome, reason, ground, policyVersion }: CallEnding,
  durationMs: number,
): AuditOutcome => {
  const { id, server, serverIdentity, tool, definitionHash, caller, continued } = about
  const at = Date.now()
  return {
    kind: 'outcome',
    id,
    at,
    server,
    serverIdentity,
    tool,
    definitionHash,
    caller,
    continued,
    durationMs,
    decision,
    outcome,
    reason,
    ground,
    policyVersion,
  }
}

/** Milliseconds since then, to the microsecond. */
const since = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1_000) / 1_000

const unrecorded: CallEnding = { decision: 'refused', outcome: 'refused', reason: 'unrecorded' }

/** The log then has an intent without an outcome: the end of the call is unknown. */
const leftOpen = () => undefined
