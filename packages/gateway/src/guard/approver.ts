// Chooses who approves a call: a person at a terminal, console or webhook; the caller's own client; or both, the client first.

import { Refusal } from 'toolwire'
import { type ApprovalRequest, type ApprovalStore, type Approver, approvalQueue, askCaller, type ToolCall } from 'toolwire/guard'
import { abortAfter } from '../bounds/abort-after.js'
import type { ApprovalAudience } from '../config/gateway-config.js'
import type { StoredApprovals } from '../store/approvals/stored-approvals.js'
import { patientMeta } from './patient-meta.js'
import type { WaitingRoom } from './waiting-room.js'

export type ApproverOptions = {
  readonly ask: ApprovalAudience
  readonly mostPending: number
  /** Maximum wait of a call without a progress token, because many clients give up after a minute. */
  readonly patienceMs: number
  /** Maximum wait of a call with a progress token: many of these clients give up after a minute as well. */
  readonly holdMs: number
  /** Instructions for deciding the request with this id: a sentence without a full stop. */
  readonly howTo: (id: string) => string
  /** Called with the id of the request that a call waits for, and with undefined when the wait ends. */
  readonly onWait: (context: ToolCall['context'], id: string | undefined) => void
  readonly usedBy: (call: ToolCall) => ApprovalStore
  /** Records the answer of the caller's own person. The call waits for it, because it is not made without the record. */
  readonly onAnswer: (request: ApprovalRequest, call: ToolCall, decision: 'allow' | 'deny') => Promise<void>
  /** A call without room ends at once, with instructions for approval. */
  readonly takeRoom: WaitingRoom
}

type ReadableApprovals = Pick<StoredApprovals, 'matchingState' | 'settled'>

export function approverFor(store: ReadableApprovals, options: ApproverOptions): Approver {
  const { ask, patienceMs, holdMs, onWait, usedBy, onAnswer, takeRoom, ...queue } = options
  const waiting =
    (how: Parameters<typeof approvalQueue>[1]): Approver =>
    (request, call) =>
      approvalQueue(usedBy(call), { ...queue, ...how })(request, call)
  const toTheEnd = waiting({})
  const held = waiting({ holdMs })
  const asked = waiting({ hold: false })
  const comingBack = waitsForPerson(store, asked, Math.min(patienceMs, holdMs))
  const approverOf = (call: ToolCall) => (waitsToTheEnd(call) ? toTheEnd : hasProgressToken(call) ? held : comingBack)
  const console = withRoom(takeRoom, asked, async (request, call) => {
    onWait(call.context, (await store.matchingState(request.callDigest))?.id ?? request.id)
    try {
      return await approverOf(call)(request, call)
    } finally {
      onWait(call.context, undefined)
    }
  })
  if (ask === 'console') return console
  const askPerson = askCaller()
  const caller = withRoom(takeRoom, refuseLarge, async (request, call) => {
    const answer = await askPerson(request, call)
    await onAnswer(request, call, answer === 'allow' ? 'allow' : 'deny')
    return answer
  })
  if (ask === 'caller') return caller
  return async (request, call) => {
    try {
      return await caller(request, call)
    } catch (thrown) {
      // A Refusal means that the client cannot ask about this call. A person's "no" is an answer, not an error.
      if (thrown instanceof Refusal) return console(request, call)
      throw thrown
    }
  }
}

const withRoom =
  (takeRoom: WaitingRoom, otherwise: Approver, ask: Approver): Approver =>
  async (request, call) => {
    const free = takeRoom(call.caller.id, request.display.length)
    if (!free) return otherwise(request, call)
    try {
      return await ask(request, call)
    } finally {
      free()
    }
  }

function refuseLarge(): never {
  throw new Refusal('busy', 'Too many calls with long arguments wait for approval. Try again later', { retryAfterMs: 5_000 })
}

/** True for tasks, whose results the client polls, and for calls whose `_meta` says that the client waits. */
const waitsToTheEnd = ({ context }: ToolCall): boolean => context.patient || context.meta[patientMeta] === true

const hasProgressToken = ({ context }: ToolCall): boolean => context.meta.progressToken !== undefined

/** Waits briefly for a decision. After that, the refusal tells the caller to call again. */
function waitsForPerson(store: ReadableApprovals, ask: Approver, ms: number): Approver {
  return async (request, call) => {
    try {
      return await ask(request, call)
    } catch (thrown) {
      if (!(await isDecidedWithin(store, request, ms))) throw thrown
      return ask(request, call)
    }
  }
}

async function isDecidedWithin(store: ReadableApprovals, { callDigest, signal }: ApprovalRequest, ms: number): Promise<boolean> {
  const found = await store.matchingState(callDigest)
  if (found?.state !== 'pending') return false
  try {
    await store.settled(found.id, abortAfter(signal, ms))
    return true
  } catch {
    return false // no decision came in time, or the caller is gone
  }
}
