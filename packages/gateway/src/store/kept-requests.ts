// Requests for approval between the database, where they are rows, and everybody else.
import { type ApprovalAnswer, type ApprovalState, type AskedElsewhere, type Found, readAnswer } from 'toolwire/guard'
import { dangerOf } from './danger.js'
import type { Among, Place, Queued, QueueGroup, QueueQuery } from './database/approval-queue.js'
import type { KeptApproval, Verdict } from './database/approval-rows.js'

export type { Among, Place, QueueQuery }

/** A request as it is kept, whatever has become of it. */
export type KeptRequest = Found & {
  readonly askedAt: number
  readonly settledAt?: number
  readonly by?: string
  readonly decision?: 'allow' | 'deny'
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

export function rowOf(asked: AskedElsewhere) {
  const { id, caller, server, tool, callDigest, digest, held, expiresAt } = asked
  const waitsMs = expiresAt - Date.now()
  const about = { id, caller, server, tool: tool.name, danger: dangerOf(asked.hints) }
  return { ...about, callDigest, digest, held, text: JSON.stringify(asked), expiresAt: Math.trunc(expiresAt), waitsMs }
}

export const foundIn = (kept: KeptApproval): Found => ({ asked: askedIn(kept), is: stateOf(kept) })

export function requestIn(kept: KeptApproval): KeptRequest {
  const { askedAt, settledAt, by, decision } = kept
  const said = { ...(by !== undefined && { by }), ...(decision && { decision }) }
  return { ...foundIn(kept), askedAt, ...(settledAt !== undefined && { settledAt }), ...said }
}

export const queuedIn = ({ kept, danger, last }: Queued): QueuedRequest => ({
  ...requestIn(kept),
  danger,
  ...(last && { last: requestIn(last) }),
})

export function askedIn({ text, held }: KeptApproval): AskedElsewhere {
  // `rowOf` has written it; what is undefined is not in the text.
  const asked = JSON.parse(text) as AskedElsewhere
  return Object.freeze({ ...asked, policyVersion: asked.policyVersion, server: asked.server, held })
}

export function stateOf({ state, why, always }: KeptApproval): ApprovalState {
  if (state === 'allowed') return always ? { state, always } : { state }
  if (state === 'denied') return why === undefined ? { state } : { state, why }
  return { state }
}
