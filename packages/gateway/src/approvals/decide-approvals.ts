// Decides pending calls. The first decision counts, and the audit log names the person.
import type { ApprovalAnswer, ApprovalState, AuditLog } from 'toolwire/guard'
import { sessionPrefix } from '../access/caller-names.js'
import { isObject } from '../json/is-object.js'
import { withoutUndefined } from '../json/without-undefined.js'
import type { ApprovalRecord } from '../store/approvals/approval-records.js'
import { type RecordedAction, runRecorded } from '../store/audit/record-action.js'
import type { Store } from '../store/store.js'
import type { ChangedSince } from './approval-queue.js'

/**
 * The outcome: decided now or before, not the request that was shown (`other`), the approver's own call (`own`), arguments that nobody can
 * read (`unreadable`), a call that would no longer be made (`changed`), or an unknown id.
 */
type DecisionOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly state: 'other' | 'own' | 'unreadable' }
  | { readonly done: false; readonly state: 'changed'; readonly changes: readonly ChangedSince[] }
  | ReturnType<typeof decidedBefore>
  | undefined

type Parts = {
  readonly store: Store
  readonly log: AuditLog | undefined
  /** Lists the changes since a request, after which its call would be refused. */
  readonly changesSince: (record: ApprovalRecord) => readonly ChangedSince[]
  /** Receives refused decisions. */
  readonly refused: (one: RecordedAction) => void
}

type DecisionRequest = {
  readonly by: string
  /** Another identity behind this decision. */
  readonly behind?: string | undefined
  readonly digest?: string
  /** The decision is not made again once the tool is there, whose server may not have been opened yet. */
  readonly toolMayBeAbsent?: true
}

export type ApprovalDecisions = ReturnType<typeof approvalDecisions>

export const approvalDecisions = (parts: Parts) => ({
  async decide(id: string, answer: ApprovalAnswer, request: DecisionRequest): Promise<DecisionOutcome> {
    const { store, log, changesSince, refused } = parts
    const { by, behind, digest, toolMayBeAbsent } = request
    const found = await store.approvals.find(id)
    if (!found) return undefined
    if (digest !== undefined && digest !== found.asked.digest) return { done: false, state: 'other' }
    if (found.is.state !== 'pending') return decidedBefore(found)
    if (isYes(answer) && found.isUnreadable) return { done: false, state: 'unreadable' }
    const { tool, caller, callDigest } = found.asked
    const person = behind === undefined ? {} : { behind }
    const about = {
      id,
      decision: isYes(answer) ? 'allow' : 'deny',
      tool: tool.name,
      caller,
      callDigest,
      ...alwaysIn(answer),
      ...person,
    }
    // Callers may not approve their own calls, but they may withdraw them.
    const makers = [caller, openerOf(caller, store)].filter((name) => name !== undefined)
    if (isYes(answer) && makers.some((maker) => maker === by || maker === behind)) {
      refused({ by, act: 'approval', about, refused: true })
      return { done: false, state: 'own' }
    }
    const changes = isYes(answer) ? changesSince(found).filter((what) => what !== 'tool' || !toolMayBeAbsent) : []
    if (changes.length > 0) return { done: false, state: 'changed', changes }
    const done = await runRecorded(log, { by, act: 'approval', about }, () => store.approvals.decide(id, answer, by))
    if (done) return { done: true }
    const now = await store.approvals.find(id)
    return now && decidedBefore(now)
  },
})

/** The caller whose key opened the console session that made a call, so that no second session or key of that caller approves it. */
const openerOf = (caller: string, { sessions }: Store): string | undefined =>
  caller.startsWith(sessionPrefix) ? sessions.get(caller.slice(sessionPrefix.length))?.openedBy : undefined

function decidedBefore({ is, by, decision }: ApprovalRecord) {
  const why = is.state === 'denied' ? is.why : undefined
  return withoutUndefined({ done: false as const, state: is.state, why, decision, by })
}

/** Says why a call whose facts have changed cannot be allowed. */
export function changedSinceRequest(changes: readonly ChangedSince[]): string {
  const changed = changes.filter((what) => what !== 'tool')
  const facts = [
    ...(changes.includes('tool') ? ['tool is no longer offered'] : []),
    ...(changed.length > 0 ? [`${changed.join(' and the ')} changed since the request`] : []),
  ]
  return `The ${facts.join(', and the ')}, so the call would not be made. Deny it`
}

/** The decision that led to a state, as far as the state shows it. */
export function decisionFromState(state: ApprovalState['state']): 'allow' | 'deny' | undefined {
  if (state === 'allowed' || state === 'released') return 'allow'
  return state === 'denied' ? 'deny' : undefined
}

/** The standing approval that comes with a decision, so that its record tells it from one for a single call. */
const alwaysIn = (answer: ApprovalAnswer) =>
  isObject(answer) && 'always' in answer && answer.always ? { always: { ...answer.always } } : {}

const isYes = (answer: ApprovalAnswer): boolean => answer === 'allow' || (typeof answer === 'object' && 'allow' in answer)
