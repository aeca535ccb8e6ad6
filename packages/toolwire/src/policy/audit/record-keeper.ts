import { sharedDeadline } from '../../bounds/deadline.js'
import type { RecordParts } from './log.js'
import { isPending, thenOrNow } from './pending.js'
import type { AuditIntent, AuditOutcome, AuditRecord, AuditRecordBase, CallEnding } from './record.js'

export type EndedCall = { readonly ending: CallEnding; readonly startedAt: number }
type AppendRecord = (record: AuditRecord) => void | Promise<void>

/** Keeps the records of calls, and waits for each, but not for long. */
export class RecordKeeper {
  readonly #append: AppendRecord
  readonly #parts: RecordParts | undefined
  readonly #within: (work: Promise<void>) => Promise<void>
  /** Why the last record could not be written. */
  trouble: unknown

  constructor({ append, parts, waitMs }: { append: AppendRecord; parts?: RecordParts | undefined; waitMs: number }) {
    this.#append = append
    this.#parts = parts
    this.#within = sharedDeadline(waitMs)
  }

  /** Returns, or its promise settles, when the intent is safe. */
  intend(about: AuditRecordBase, args: () => AuditIntent['arguments'] | Promise<AuditIntent['arguments']>): void | Promise<void> {
    const parts = this.#parts
    const append = (kept: AuditIntent['arguments']) => (parts ? parts.intend(about, kept) : this.#append(intentOf(about, kept)))
    const written = this.#kept(() => thenOrNow(args(), append))
    if (!isPending(written)) return
    const startedAt = performance.now()
    return this.#inTime(written).catch((cause) => {
      // The call is refused; should its intent be written after all, the log shall say so.
      written.then(() => this.#append(outcomeOf(about, unrecorded, since(startedAt)))).catch(leftOpen)
      throw cause
    })
  }

  /** Returns, or its promise settles, when it is safe how the call ended. */
  end(about: AuditRecordBase, { ending, startedAt }: EndedCall): void | Promise<void> {
    const parts = this.#parts
    const durationMs = since(startedAt)
    const written = this.#kept(() =>
      parts ? parts.end(about, ending, durationMs) : this.#append(outcomeOf(about, ending, durationMs)),
    )
    if (isPending(written)) return this.#inTime(written)
  }

  #kept(write: () => void | Promise<void>): void | Promise<void> {
    try {
      const written = write()
      if (isPending(written)) return written
      this.trouble = undefined
    } catch (thrown) {
      this.trouble = thrown
      throw thrown
    }
  }

  #inTime(written: Promise<void>): Promise<void> {
    return this.#within(written).then(
      () => {
        this.trouble = undefined
      },
      (thrown) => {
        this.trouble = thrown
        throw thrown
      },
    )
  }
}

// Member by member: spreading the one into the other takes several times as long.
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

/** Microseconds are as exact as it gets. */
const since = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1_000) / 1_000

const unrecorded: CallEnding = { decision: 'refused', outcome: 'refused', reason: 'unrecorded' }

/** An intent without an outcome is what the log says of a call of which it was not told more. */
const leftOpen = () => undefined
