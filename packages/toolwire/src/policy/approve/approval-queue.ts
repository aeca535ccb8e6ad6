// Someone decides elsewhere: in a console, a chat, another process. The call waits, or comes back for the decision.
import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import { longestTimer } from '../../bounds/longest-timer.js'
import { checkOptions, optionsOf, withGiven } from '../../tools/checks/known-options.js'
import { atLeast, someFunction, trueOrFalse } from '../../tools/checks/option-values.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolCall } from '../../tools/tool.js'
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approval.js'
import { bindingDigest, bindingOf, type RequestIdentity } from './binding.js'
import { approvalDenied, approvalTimedOut, approvalUsed, tooManyPending } from './refusals.js'
import type { ApprovalAdded, ApprovalState, ApprovalStore, PendingApproval, StoredApproval } from './store.js'

export type ApprovalQueueOptions = {
  /** True if the call waits. If false, it is refused at once, and an identical one finds the decision. */
  hold?: boolean
  /**
   * Milliseconds that a call waits before it is refused, and an identical one finds the decision: many clients give up after a minute. By
   * default, a call waits until the approval expires. Needs a store with `leave`.
   */
  holdMs?: number
  /** Tells a person how and where to decide this request, without a full stop. The waiting caller gets it at once. */
  howTo?: (id: string) => string
  /** Maximum number of pending calls of one caller. */
  mostPending?: number
  /** Milliseconds until a retry, as told to a caller that does not wait. */
  retryAfterMs?: number
  /** Milliseconds between two progress messages to a waiting caller. */
  tellEveryMs?: number
}

const known = optionsOf<ApprovalQueueOptions>()({
  hold: trueOrFalse,
  'holdMs mostPending retryAfterMs tellEveryMs': atLeast(0),
  howTo: someFunction,
})

type QueueTerms = Required<Omit<ApprovalQueueOptions, 'holdMs' | 'howTo'>> &
  Pick<ApprovalQueueOptions, 'holdMs' | 'howTo'> & { readonly store: ApprovalStore }

/**
 * Leaves the decision to another process that reads the store: `approve({ ask: approvalQueue(store) })`.
 *
 * @example
 * ```ts
 * const approver = approvalQueue(memoryApprovals())
 * ```
 */
export function approvalQueue(store: ApprovalStore, options: ApprovalQueueOptions = {}): Approver {
  checkOptions('approvalQueue()', options, known)
  const defaults = { hold: true, mostPending: 100, retryAfterMs: 5_000, tellEveryMs: 10_000 }
  const queueTerms: QueueTerms = { ...withGiven<ApprovalQueueOptions & typeof defaults>(defaults, options), store }
  if (queueTerms.holdMs !== undefined && !store.leave) throw new TypeError('holdMs needs a store that has leave()')
  const answer = queueTerms.hold ? holdCall : answerReturningCall
  return (request, call) => answer(request, call, queueTerms)
}

async function holdCall(request: ApprovalRequest, call: ToolCall, queueTerms: QueueTerms): Promise<ApprovalAnswer> {
  const { store, holdMs } = queueTerms
  const known = await identityOfMatching(store, request.callDigest)
  const { id } = known ?? request
  if (!known) await addHeld(request, queueTerms)
  const quiet = reportWaiting(call, id, queueTerms)
  const hold = new LinkedAbortController(request.signal)
  const timer = holdMs === undefined ? undefined : setTimeout(() => hold.abort(undefined), Math.min(holdMs, longestTimer))
  try {
    const is = await store.settled(id, hold.signal)
    const digest = known ? await recomputeDigest(request, call, known) : request.digest
    return answerFor(call, is, () => store.release(id, digest))
  } catch (thrown) {
    const isHeldNoLonger = hold.signal.aborted && !request.signal.aborted
    if (isHeldNoLonger) throw notYetApproved(call, known ? id : await leaveForLater(id, request, queueTerms), queueTerms)
    if (!known) await store.withdraw(id)
    throw thrown
  } finally {
    clearTimeout(timer)
    hold.release()
    quiet()
  }
}

/** Adds the request. One that a store has kept although it failed is withdrawn, because no call waits for it. */
async function addHeld(request: ApprovalRequest, { store, mostPending }: QueueTerms): Promise<void> {
  let added: ApprovalAdded
  try {
    added = await store.add(pendingOf(request, true), mostPending)
  } catch (thrown) {
    withdrawLater(store, request.id)
    throw thrown
  }
  if (added !== 'added') throw tooManyPending(mostPending)
}

/** The failure of the store is known already, so that of the withdrawal says nothing new, and the caller does not wait for it. */
function withdrawLater(store: ApprovalStore, id: string): void {
  const withdrawn = async () => store.withdraw(id)
  withdrawn().catch(() => undefined)
}

/** A function of its own, because the one that waits would hold the arguments of the stored request meanwhile. */
async function identityOfMatching(store: ApprovalStore, callDigest: string): Promise<RequestIdentity | undefined> {
  const found = await store.matching(callDigest)
  return found && { id: found.asked.id, expiresAt: found.asked.expiresAt }
}

/** Leaves the request for an identical call, and returns its id. If an identical request was left already, that one stands for both. */
async function leaveForLater(id: string, { callDigest }: ApprovalRequest, { store }: QueueTerms): Promise<string> {
  if (await store.leave?.(id)) return id
  await store.withdraw(id)
  return (await store.matching(callDigest))?.asked.id ?? id
}

/** Digest of this call, as it would be for the stored request. It matches only if nothing has changed since. */
const recomputeDigest = ({ policyVersion }: ApprovalRequest, call: ToolCall, issue: RequestIdentity): string | Promise<string> =>
  bindingDigest(bindingOf(call, call.tool, policyVersion), issue)

/** Reports progress at once and then at intervals, in steps so small that a handler's own progress goes forward from them. */
function reportWaiting({ tool, context }: ToolCall, id: string, { tellEveryMs, howTo }: QueueTerms): () => void {
  let told = 0
  const words = howTo ? `Waiting for approval. ${howTo(id)}` : 'Waiting for approval'
  const tell = () => context.progress(++told / 1_000_000, undefined, words)
  tell()
  context.log('notice', { waiting: tool.name, approval: id, message: words })
  const timer = setInterval(tell, Math.min(tellEveryMs, longestTimer))
  return () => clearInterval(timer)
}

async function answerReturningCall(request: ApprovalRequest, call: ToolCall, queueTerms: QueueTerms): Promise<ApprovalAnswer> {
  const { store } = queueTerms
  const known = (await store.matching(request.callDigest)) ?? (await addOrFind(request, queueTerms))
  const { asked, is } = known
  if (is.state === 'pending') throw notYetApproved(call, asked.id, queueTerms)
  const digest = await recomputeDigest(request, call, asked)
  return answerFor(call, is, () => store.release(asked.id, digest))
}

/** Leaves the request for later, unless an identical call does so at the same moment. */
async function addOrFind(request: ApprovalRequest, { store, mostPending }: QueueTerms): Promise<StoredApproval> {
  const mine = pendingOf(request, false)
  const added = await store.add(mine, mostPending)
  if (added === 'full') throw tooManyPending(mostPending)
  const other = added === 'known' ? await store.matching(request.callDigest) : undefined
  return other ?? { asked: mine, is: { state: 'pending' } }
}

function answerFor(call: ToolCall, is: ApprovalState, release: () => boolean | Promise<boolean>): ApprovalAnswer {
  switch (is.state) {
    case 'allowed':
      return { allow: true, release, ...(is.always && { always: is.always }) }
    case 'denied':
      throw approvalDenied(call, is.why)
    case 'expired':
      throw approvalTimedOut(call)
    default:
      throw approvalUsed(call)
  }
}

const pendingOf = ({ signal: _, ...request }: ApprovalRequest, held: boolean): PendingApproval => ({ ...request, held })

function notYetApproved({ tool }: ToolCall, id: string, { retryAfterMs, howTo }: QueueTerms): Refusal {
  const begins = `The call to ${tool.name} waits for approval as ${id}`
  const said = howTo
    ? `${begins}. ${howTo(id)}. Once it is approved, call again with the same arguments.`
    : `${begins}; call again with the same arguments when it is approved.`
  return new Refusal('not-approved', said, { retryAfterMs })
}
