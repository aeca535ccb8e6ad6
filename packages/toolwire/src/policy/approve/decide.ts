// One request for approval, from the moment it is shown to the moment the call is let go.
import { Suspension } from '../../tools/suspension.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { type ApprovalRequest, type Approver, describeCall, readApprovalAnswer } from './approval.js'
import type { ApprovalDeadlines } from './approval-deadlines.js'
import { type ApprovalBinding, bindingDigest, bindingOf, changedFacts, type RequestIdentity } from './binding.js'
import { addGrant, type GrantStore, isGranted } from './grants.js'
import type { PendingLimit } from './pending-limit.js'
import { approvalDenied, approvalTimedOut, approvalUsed, approvedCallChanged } from './refusals.js'

export type ApprovalTerms = {
  readonly ask: Approver
  readonly remember: GrantStore | undefined
  readonly versionNow: () => string | undefined
  readonly toolNow: (call: ToolCall) => ReadyTool | undefined
  readonly waitMs: number
  readonly slots: PendingLimit
  readonly deadlines: ApprovalDeadlines
}

/** What is to be decided; `place` is its name in every round of the call. */
type ApprovalMatter = {
  readonly call: ToolCall
  readonly bound: ApprovalBinding
  readonly callDigest: string
  readonly place: string
}

type Allowed = ReturnType<typeof readApprovalAnswer> & { readonly allowed: true }

/** Returns when the call may be made, and throws in all other cases. A run that ends for a question takes no place. */
export async function waitForDecision(matter: ApprovalMatter, approvalTerms: ApprovalTerms): Promise<true> {
  const { caller, context } = matter.call
  const leave = approvalTerms.slots.enter(caller.id)
  context.clock?.heard('asking')
  try {
    await decideInTime(matter, approvalTerms)
    return true
  } finally {
    context.clock?.heard('answered')
    leave()
  }
}

/** Waits for the decision until the time is up or the call is aborted, and tells the hook when nobody waits any more. */
async function decideInTime(matter: ApprovalMatter, approvalTerms: ApprovalTerms): Promise<void> {
  const { call } = matter
  const { signal } = call.context
  const issue = await identityOf(matter, approvalTerms)
  const deadline = approvalTerms.deadlines.of(issue)
  const open = new AbortController()
  const over = new Promise<never>((_, reject) => open.signal.addEventListener('abort', () => reject(open.signal.reason)))
  const timer = setTimeout(() => open.abort(approvalTimedOut(call)), deadline - performance.now())
  const stop = () => open.abort(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    if (performance.now() >= deadline) throw approvalTimedOut(call)
    await Promise.race([over, askAndRelease(matter, { issue, terms: approvalTerms, signal: open.signal })])
    // The answer and the timer may have come due together.
    if (performance.now() >= deadline) throw approvalTimedOut(call)
    signal.throwIfAborted()
  } catch (thrown) {
    if (thrown instanceof Suspension) approvalTerms.deadlines.keep(issue, deadline)
    throw thrown
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** A request that is answered in a later round of the call is still the same one: it keeps its id and its time. */
const identityOf = ({ call, place }: ApprovalMatter, { waitMs }: ApprovalTerms): Promise<RequestIdentity> =>
  call.context.once(`toolwire:approval:${place}`, () => ({ id: crypto.randomUUID(), expiresAt: Date.now() + waitMs }))

type Asking = { readonly issue: RequestIdentity; readonly terms: ApprovalTerms; readonly signal: AbortSignal }

async function askAndRelease(matter: ApprovalMatter, { issue, terms: approvalTerms, signal }: Asking): Promise<void> {
  const { call, bound } = matter
  const { remember } = approvalTerms
  if (remember && (await isGranted(remember, bound))) return
  const request = requestFor(matter, { issue, signal })
  signal.throwIfAborted()
  // What the hook holds is not what goes on.
  const decision = readApprovalAnswer(await approvalTerms.ask(request, Object.freeze({ ...call, input: undefined })))
  // What is said too late has no effect, not even on later calls.
  signal.throwIfAborted()
  if (!decision.allowed) throw approvalDenied(call, decision.why)
  checkBound(call, bound, approvalTerms)
  await take(call, decision)
  signal.throwIfAborted()
  if (remember && decision.always) await addGrant(remember, bound, decision.always)
}

function requestFor({ call, bound, callDigest }: ApprovalMatter, { issue, signal }: Omit<Asking, 'terms'>): ApprovalRequest {
  const digests = { digest: bindingDigest(bound, issue), callDigest }
  const shown = describeCall(call, bound.definitionHash)
  return Object.freeze({ ...issue, ...digests, policyVersion: bound.policyVersion, ...shown, signal })
}

/** What was shown is compared with what is true now. */
export function checkBound(call: ToolCall, bound: ApprovalBinding, { toolNow, versionNow }: ApprovalTerms): void {
  const tool = toolNow(call)
  if (!tool) throw approvedCallChanged(call, ['the tool'])
  const changes = changedFacts(bound, bindingOf(call, tool, versionNow()))
  if (changes.length > 0) throw approvedCallChanged(call, changes)
}

async function take(call: ToolCall, { release }: Allowed): Promise<void> {
  if (release && (await release()) !== true) throw approvalUsed(call)
}
