import { ApiError, pathSegment, postJson } from '../../api/api.js'
import type { Approval, ApprovalGroup, StandingApproval } from '../../api/types.js'
import { type Ending, endingIn, endingOf } from '../endings.js'

export type Decision =
  | { readonly decision: 'allow'; readonly always?: StandingApproval }
  | { readonly decision: 'deny'; readonly reason?: string }

/** `over`: the call is decided, now or before. `changed`: the call is not the one shown. `failed`: the request failed. */
export type DecisionOutcome =
  | { readonly is: 'over'; readonly ending: Ending }
  | { readonly is: 'changed'; readonly error: ApiError }
  | { readonly is: 'failed'; readonly error: unknown }

/** An approval is bound to the content on the screen; a denial is not. */
export async function sendDecision({ id, digest }: Approval, answer: Decision): Promise<DecisionOutcome> {
  const body = answer.decision === 'allow' ? { ...answer, hash: digest } : answer
  try {
    const { by } = await postJson<{ readonly by?: string }>(`/approvals/${pathSegment(id)}`, body)
    const why = answer.decision === 'deny' && answer.reason
    const report = { decision: answer.decision, ...(by && { by }), ...(why && { why }) }
    return { is: 'over', ending: { ...endingOf(report), here: true } }
  } catch (thrown) {
    return refused(thrown)
  }
}

function refused(error: unknown): DecisionOutcome {
  if (!(error instanceof ApiError)) return { is: 'failed', error }
  if (error.status === 404) return { is: 'over', ending: { what: 'over' } }
  if (error.status !== 409) return { is: 'failed', error }
  const ending = endingIn(error.details)
  return ending ? { is: 'over', ending } : { is: 'changed', error }
}

/** Denies all calls of one tool by one caller. There is no equivalent for approvals. */
export function denyAll({ tool, server, caller }: ApprovalGroup, reason: string): Promise<{ readonly denied: number }> {
  return postJson('/approvals/deny-all', { tool, caller, ...(server !== null && { server }), ...(reason && { reason }) })
}
