// One request for approval, from the moment it is shown to the moment the call is let go.
import { Suspension } from '../../tools/suspension.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { type ApprovalRequest, type Approver, describeCall, readAnswer } from '../approval.js'
import { addGrant, type Grants, isGranted } from '../grants.js'
import { type Bound, boundBy, changedBetween, digestOf, type Issue } from './bound.js'
import type { Deadlines } from './deadlines.js'
import { changed, denied, silent, used } from './no.js'
import type { Slots } from './slots.js'

export type Terms = {
  readonly ask: Approver
  readonly remember: Grants | undefined
  readonly versionNow: () => string | undefined
  readonly toolNow: (call: ToolCall) => ReadyTool | undefined
  readonly waitMs: number
  readonly slots: Slots
  readonly deadlines: Deadlines
}

/** What is to be decided; `place` is its name in every round of the call. */
export type Matter = {
  readonly call: ToolCall
  readonly bound: Bound
  readonly callDigest: string
  readonly place: string
}

type Allowed = ReturnType<typeof readAnswer> & { readonly allowed: true }

/** Returns when the call may be made, and throws in all other cases. A run that ends for a question takes no place. */
export async function decided(matter: Matter, terms: Terms): Promise<true> {
  const { caller, context } = matter.call
  const leave = terms.slots.enter(caller.id)
  context.clock?.heard('asking')
  try {
    await inTime(matter, terms)
    return true
  } finally {
    context.clock?.heard('answered')
    leave()
  }
}

/** Waits for the decision until the time is up or the call is aborted, and tells the hook when nobody waits any more. */
async function inTime(matter: Matter, terms: Terms): Promise<void> {
  const { call } = matter
  const { signal } = call.context
  const issue = await issueOf(matter, terms)
  const deadline = terms.deadlines.of(issue)
  const open = new AbortController()
  const over = new Promise<never>((_, reject) => open.signal.addEventListener('abort', () => reject(open.signal.reason)))
  const timer = setTimeout(() => open.abort(silent(call)), deadline - performance.now())
  const stop = () => open.abort(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    if (performance.now() >= deadline) throw silent(call)
    await Promise.race([over, released(matter, { issue, terms, signal: open.signal })])
    // The answer and the timer may have come due together.
    if (performance.now() >= deadline) throw silent(call)
    signal.throwIfAborted()
  } catch (thrown) {
    if (thrown instanceof Suspension) terms.deadlines.keep(issue, deadline)
    throw thrown
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** A request that is answered in a later round of the call is still the same one: it keeps its id and its time. */
const issueOf = ({ call, place }: Matter, { waitMs }: Terms): Promise<Issue> =>
  call.context.once(`toolwire:approval:${place}`, () => ({ id: crypto.randomUUID(), expiresAt: Date.now() + waitMs }))

type Asking = { readonly issue: Issue; readonly terms: Terms; readonly signal: AbortSignal }

async function released(matter: Matter, { issue, terms, signal }: Asking): Promise<void> {
  const { call, bound } = matter
  const { remember } = terms
  if (remember && (await isGranted(remember, bound))) return
  const request = requestFor(matter, { issue, signal })
  signal.throwIfAborted()
  // What the hook holds is not what goes on.
  const decision = readAnswer(await terms.ask(request, Object.freeze({ ...call, input: undefined })))
  // What is said too late has no effect, not even on later calls.
  signal.throwIfAborted()
  if (!decision.allowed) throw denied(call, decision.why)
  checkBound(call, bound, terms)
  await take(call, decision)
  signal.throwIfAborted()
  if (remember && decision.always) await addGrant(remember, bound, decision.always)
}

function requestFor({ call, bound, callDigest }: Matter, { issue, signal }: Omit<Asking, 'terms'>): ApprovalRequest {
  const digests = { digest: digestOf(bound, issue), callDigest }
  const shown = describeCall(call, bound.definitionHash)
  return Object.freeze({ ...issue, ...digests, policyVersion: bound.policyVersion, ...shown, signal })
}

/** What was shown is compared with what is true now. */
export function checkBound(call: ToolCall, bound: Bound, { toolNow, versionNow }: Terms): void {
  const tool = toolNow(call)
  if (!tool) throw changed(call, ['the tool'])
  const changes = changedBetween(bound, boundBy(call, tool, versionNow()))
  if (changes.length > 0) throw changed(call, changes)
}

async function take(call: ToolCall, { release }: Allowed): Promise<void> {
  if (release && (await release()) !== true) throw used(call)
}
