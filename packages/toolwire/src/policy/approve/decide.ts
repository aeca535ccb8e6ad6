// One request for approval, from the moment it is shown to the moment the call is let go.
import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { Suspension } from '../../tools/suspension.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import type { KeyedCounts } from '../keyed-counts.js'
import { type ApprovalRequest, type Approver, describeCall, readApprovalAnswer } from './approval.js'
import { type ApprovalBinding, bindingDigest, bindingOf, changedFacts, type RequestIdentity } from './binding.js'
import { addGrant, type GrantStore, isGranted } from './grants.js'
import { approvalDenied, approvalTimedOut, approvalUsed, approvedCallChanged, tooManyPending } from './refusals.js'

export type ApprovalTerms = {
  readonly ask: Approver
  readonly remember: GrantStore | undefined
  readonly versionNow: () => string | undefined
  readonly toolNow: (call: ToolCall) => ReadyTool | undefined
  readonly waitMs: number
  readonly mostPending: number
  /** How many calls of each caller wait for a person. */
  readonly pending: KeyedCounts<string>
  /** Until when requests hold, by id, that go over several rounds of a call: as `performance.now()` tells it. */
  readonly deadlines: Map<string, number>
}

/** What is to be decided; `place` is its name in every round of the call. */
type ApprovalMatter = {
  readonly call: ToolCall
  readonly bound: ApprovalBinding
  readonly callDigest: string
  readonly place: string
}

/** Returns when the call may be made, and throws in all other cases. A run that ends for a question takes no place. */
export async function waitForDecision(matter: ApprovalMatter, approvalTerms: ApprovalTerms): Promise<true> {
  const { caller, context } = matter.call
  const { pending, mostPending } = approvalTerms
  if (!pending.hasRoom(caller.id)) throw tooManyPending(mostPending)
  pending.add(caller.id, 1)
  context.clock?.heard('asking')
  try {
    await decideInTime(matter, approvalTerms)
    return true
  } finally {
    context.clock?.heard('answered')
    pending.add(caller.id, -1)
  }
}

/** Waits for the decision until the time is up or the call is aborted, and tells the hook when nobody waits any more. */
async function decideInTime(matter: ApprovalMatter, approvalTerms: ApprovalTerms): Promise<void> {
  const { call } = matter
  const { signal } = call.context
  const { deadlines, waitMs } = approvalTerms
  const issue = await identityOf(matter, approvalTerms)
  // Setting the clock back gives nobody more time. Of a request made in another process only the clock on the wall is known.
  const deadline = deadlines.get(issue.id) ?? performance.now() + Math.min(waitMs, issue.expiresAt - Date.now())
  const open = new LinkedAbortController(signal)
  const timer = setTimeout(() => open.abort(approvalTimedOut(call)), deadline - performance.now())
  try {
    if (performance.now() >= deadline) throw approvalTimedOut(call)
    const asked = askAndRelease(matter, { issue, terms: approvalTerms, signal: open.signal })
    await Promise.race([rejectOnAbort(open.signal), asked])
    // The answer and the timer may have come due together.
    if (performance.now() >= deadline) throw approvalTimedOut(call)
    signal.throwIfAborted()
  } catch (thrown) {
    if (thrown instanceof Suspension) deadlines.set(issue.id, deadline)
    throw thrown
  } finally {
    clearTimeout(timer)
    open.release()
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
  if (decision.release && (await decision.release()) !== true) throw approvalUsed(call)
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
