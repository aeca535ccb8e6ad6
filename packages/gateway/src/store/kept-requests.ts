// Requests for approval between the database, where they are rows, and everybody else.
import { type ApprovalAnswer, type ApprovalState, type AskedElsewhere, type Found, readAnswer } from 'toolwire/guard'
import { dangerOf } from './danger.js'
import type { Among, Place, Queued, QueueGroup, QueueQuery } from './database/approval-queue.js'
import type { KeptApproval, Verdict } from './database/approval-rows.js'
import type { SaidCalls } from './said-calls.js'

export type { Among, Place, QueueQuery }

/** A request as it is kept, whatever has become of it. */
export type KeptRequest = Found & {
  readonly askedAt: number
  readonly settledAt?: number
  readonly by?: string
  readonly decision?: 'allow' | 'deny'
  /** The arguments were removed when it was decided, and a process before this one knew them. */
  readonly isForgotten?: true
}

/** A request that is no longer pending. */
export type PastApproval = KeptRequest

/** A request that waits, and what was allowed before it to the same caller. */
export type QueuedRequest = KeptRequest & { readonly danger: number; readonly last?: KeptRequest }

/** A page of the requests that wait, the most dangerous first. */
export type QueuePage = {
  readonly total: number
  readonly groups: readonly QueueGroup[]
  readonly page: readonly QueuedRequest[]
  readonly next?: Place
}

export function verdictOf(answer: ApprovalAnswer): Verdict {
  const decision = readAnswer(answer)
  return decision.allowed
    ? { state: 'allowed', ...(decision.always && { always: decision.always }) }
    : { state: 'denied', ...(decision.why !== undefined && { why: decision.why }) }
}

export function rowOf(asked: AskedElsewhere, calls: SaidCalls) {
  const { id, caller, server, tool, callDigest, digest, held, expiresAt } = asked
  const waitsMs = expiresAt - Date.now()
  const about = { id, caller, server, tool: tool.name, danger: dangerOf(asked.hints) }
  const texts = { text: textOf(asked), sealed: calls.seal(id, asked) }
  return { ...about, callDigest, digest, held, ...texts, expiresAt: Math.trunc(expiresAt), waitsMs }
}

/** All but what it says, which is sealed beside it. */
export const textOf = (asked: object): string => JSON.stringify({ ...asked, arguments: undefined, display: undefined })

export const foundIn = (kept: KeptApproval, calls: SaidCalls): Found => ({ asked: askedIn(kept, calls), is: stateOf(kept) })

export function requestIn(kept: KeptApproval, calls: SaidCalls): KeptRequest {
  const { askedAt, settledAt, by, decision } = kept
  const said = { ...(by !== undefined && { by }), ...(decision && { decision }) }
  const { asked, isForgotten } = read(kept, calls)
  const when = { askedAt, ...(settledAt !== undefined && { settledAt }) }
  return { asked, is: stateOf(kept), ...when, ...said, ...(isForgotten && { isForgotten }) }
}

export const queuedIn = ({ kept, danger, last }: Queued, calls: SaidCalls): QueuedRequest => ({
  ...requestIn(kept, calls),
  danger,
  ...(last && { last: requestIn(last, calls) }),
})

export const askedIn = (kept: KeptApproval, calls: SaidCalls): AskedElsewhere => read(kept, calls).asked

function read({ text, sealed, held }: KeptApproval, calls: SaidCalls): Pick<KeptRequest, 'asked' | 'isForgotten'> {
  // `rowOf` has written it; what is undefined is not in the text.
  const about = JSON.parse(text) as Omit<AskedElsewhere, 'arguments' | 'display'>
  const said = calls.of(about.id, sealed)
  const asked = { ...about, ...(said ?? forgotten), policyVersion: about.policyVersion, server: about.server, held }
  return { asked: Object.freeze(asked), ...(!said && { isForgotten: true }) }
}

const forgotten = { arguments: {}, display: '' }

export function stateOf({ state, why, always }: KeptApproval): ApprovalState {
  if (state === 'allowed') return always ? { state, always } : { state }
  if (state === 'denied') return why === undefined ? { state } : { state, why }
  return { state }
}
