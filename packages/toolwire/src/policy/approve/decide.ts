// One request for approval, from the moment it is shown until the call is released.

import { BoundedMap } from '../../bounds/bounded-map.js'
import { KeyedCounts } from '../../bounds/keyed-counts.js'
import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import { longestTimer } from '../../bounds/longest-timer.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import { Suspension } from '../../tools/suspension.js'
import type { ToolCall } from '../../tools/tool.js'
import { describeCall, displayOf, readApprovalAnswer, shownArguments } from './approval.js'
import type { ApproveOptions } from './approve-options.js'
import { type ApprovalBinding, bindingDigest, bindingOf, changedFacts, type RequestIdentity } from './binding.js'
import { addGrant, coveringGrant } from './grants.js'
import { approvalDenied, approvalTimedOut, approvalUsed, approvedCallChanged, tooManyPending } from './refusals.js'

/** A call to decide on. `place` is its name in every round of the call. */
type ApprovalMatter = {
  readonly call: ToolCall
  readonly bound: ApprovalBinding
  readonly callDigest: string
  readonly place: string
}

export type ApprovalDecider = ReturnType<typeof approvalDecider>

const mostDeadlines = 10_000

/** Asks for decisions, and compares the facts that were shown with the current ones. */
export function approvalDecider({ ask, remember, version, current, waitMs = 300_000, mostPending = 100 }: ApproveOptions) {
  /** Calls of each caller that wait for a person. */
  const pending = new KeyedCounts<string>(mostPending)
  /** Deadlines by request id, for requests that span several rounds of a call, in the time of `performance.now()`. */
  const deadlines = new BoundedMap<string, number>(mostDeadlines)

  const bind = (call: ToolCall, tool = call.tool): ApprovalBinding => bindingOf(call, tool, version?.())

  function checkBound({ call, bound }: Pick<ApprovalMatter, 'call' | 'bound'>): void {
    const tool = current ? current(call) : call.tool
    if (!tool) throw approvedCallChanged(call, ['the tool'])
    const changes = changedFacts(bound, bind(call, tool))
    if (changes.length > 0) throw approvedCallChanged(call, changes)
  }

  /** Returns the id of the grant that allows the call, or undefined once a person has allowed it. */
  async function askAndRelease(matter: ApprovalMatter, issue: RequestIdentity, signal: AbortSignal): Promise<string | undefined> {
    const { call, bound, callDigest } = matter
    const rest = yieldWhenBusy()
    await rest()
    const grant = remember && (await coveringGrant(remember, bound))
    if (grant) return grant.id
    await rest()
    signal.throwIfAborted()
    const digests = { digest: await bindingDigest(bound, issue), callDigest, policyVersion: bound.policyVersion }
    await rest()
    signal.throwIfAborted()
    const shown = { ...call, arguments: await shownArguments(call) }
    const display = await displayOf(shown.arguments)
    const request = Object.freeze({ ...issue, ...digests, ...describeCall(shown, bound.definitionHash), display, signal })
    signal.throwIfAborted()
    // The hook gets a copy, so that it cannot change the call.
    const decision = readApprovalAnswer(await ask(request, Object.freeze({ ...call, input: undefined })))
    // A late answer has no effect, not even on later calls.
    signal.throwIfAborted()
    if (!decision.allowed) throw approvalDenied(call, decision.why)
    checkBound(matter)
    if (decision.release && (await decision.release()) !== true) throw approvalUsed(call)
    signal.throwIfAborted()
    if (remember && decision.always) await addGrant(remember, bound, decision.always)
    return undefined
  }

  /** A request that is answered in a later round of the call keeps its id and its expiry. */
  const identityOf = ({ call, place }: ApprovalMatter): Promise<RequestIdentity> =>
    call.context.once(`toolwire:approval:${place}`, () => ({ id: crypto.randomUUID(), expiresAt: Date.now() + waitMs }))

  /** Waits for the decision until the time is up or the call is aborted, and then aborts the hook's signal. */
  async function decideInTime(matter: ApprovalMatter): Promise<string | undefined> {
    const { call } = matter
    const { signal } = call.context
    const issue = await identityOf(matter)
    // Setting the clock back gives nobody more time. For a request made in another process, only the wall clock is known.
    const deadline = deadlines.get(issue.id) ?? performance.now() + Math.min(waitMs, issue.expiresAt - Date.now())
    const open = new LinkedAbortController(signal)
    const timer = setTimeout(() => open.abort(approvalTimedOut(call)), Math.min(deadline - performance.now(), longestTimer))
    try {
      if (performance.now() >= deadline) throw approvalTimedOut(call)
      const grant = await Promise.race([rejectOnAbort(open.signal), askAndRelease(matter, issue, open.signal)])
      // The answer and the timer may have come due together.
      if (performance.now() >= deadline) throw approvalTimedOut(call)
      signal.throwIfAborted()
      return grant
    } catch (thrown) {
      if (thrown instanceof Suspension) deadlines.set(issue.id, deadline)
      throw thrown
    } finally {
      clearTimeout(timer)
      open.release()
    }
  }

  /**
   * Resolves when the call may be made, with the id of the grant that allows it or with true, and throws in all other cases. A run that
   * ends for a question no longer counts as pending.
   */
  async function wait(matter: ApprovalMatter): Promise<string | true> {
    const { caller, context } = matter.call
    if (!pending.hasRoom(caller.id)) throw tooManyPending(mostPending)
    pending.add(caller.id, 1)
    context.clock?.heard('asking')
    try {
      return (await decideInTime(matter)) ?? true
    } finally {
      context.clock?.heard('answered')
      pending.add(caller.id, -1)
    }
  }

  return { bind, checkBound, wait }
}
