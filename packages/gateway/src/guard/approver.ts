// Who approves a call: a person at a terminal, console or webhook; the caller's own client; or either, the client first.

import { Refusal } from 'toolwire'
import { type ApprovalRequest, type ApprovalStore, type Approver, approvalQueue, askCaller, type ToolCall } from 'toolwire/guard'
import { abortAfter } from '../bounds/abort-after.js'
import type { ApprovalAudience } from '../config/gateway-config.js'
import { patientMeta } from './patient-meta.js'

type ApproverOptions = {
  readonly ask: ApprovalAudience
  readonly mostPending: number
  /** How long a caller is kept that does not hear of progress: many give up after a minute. */
  readonly patienceMs: number
  /** The same for one that does: it hears at once what it waits for, and many give up after a minute all the same. */
  readonly holdMs: number
  /** How and where a call is decided, in a sentence without a full stop. */
  readonly howTo: (id: string) => string
  /** Told which request a call waits for, and with undefined that it waits no longer. */
  readonly onWait: (context: ToolCall['context'], id: string | undefined) => void
  /** The store as this call uses an approval in it. */
  readonly usedBy: (call: ToolCall) => ApprovalStore
}

export function approverFor(store: ApprovalStore, options: ApproverOptions): Approver {
  const { ask, patienceMs, holdMs, onWait, usedBy, ...queue } = options
  const waiting =
    (how: Parameters<typeof approvalQueue>[1]): Approver =>
    (request, call) =>
      approvalQueue(usedBy(call), { ...queue, ...how })(request, call)
  const toTheEnd = waiting({})
  const held = waiting({ holdMs })
  const asked = waiting({ hold: false })
  const comingBack = waitsForPerson(store, asked, Math.min(patienceMs, holdMs))
  const wayOf = (call: ToolCall) => (waitsToTheEnd(call) ? toTheEnd : hearsProgress(call) ? held : comingBack)
  const console: Approver = async (request, call) => {
    onWait(call.context, (await store.matching(request.callDigest))?.asked.id ?? request.id)
    try {
      return await wayOf(call)(request, call)
    } finally {
      onWait(call.context, undefined)
    }
  }
  if (ask === 'console') return console
  const caller = askCaller()
  if (ask === 'caller') return caller
  return async (request, call) => {
    try {
      return await caller(request, call)
    } catch (thrown) {
      // It cannot ask anybody; a person who says no is no error.
      if (thrown instanceof Refusal) return console(request, call)
      throw thrown
    }
  }
}

/** Its client asks when it likes, or has said that it waits. */
const waitsToTheEnd = ({ context }: ToolCall): boolean => context.patient || context.meta[patientMeta] === true

const hearsProgress = ({ context }: ToolCall): boolean => context.meta.progressToken !== undefined

/** A decision that comes soon is waited for; after that the caller is told to come back. */
function waitsForPerson(store: ApprovalStore, ask: Approver, ms: number): Approver {
  return async (request, call) => {
    try {
      return await ask(request, call)
    } catch (thrown) {
      if (!(await comesSoon(store, request, ms))) throw thrown
      return ask(request, call)
    }
  }
}

async function comesSoon(store: ApprovalStore, { callDigest, signal }: ApprovalRequest, ms: number): Promise<boolean> {
  const found = await store.matching(callDigest)
  if (found?.is.state !== 'pending') return false
  try {
    await store.settled(found.asked.id, abortAfter(signal, ms))
    return true
  } catch {
    return false // it did not come in time, or nobody waits for it
  }
}
