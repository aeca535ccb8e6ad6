// Who is asked about a call: whoever looks into the store (a terminal, the console, a webhook), the caller's own client, or both.
import { Refusal, type ToolCall } from 'toolwire'
import { type ApprovalRequest, type ApprovalStore, type Approver, elsewhere, theCaller } from 'toolwire/guard'

/** `both` asks the caller's client where it can ask its person, and otherwise whoever looks into the store. */
export type AskWhom = 'console' | 'caller' | 'both'

export type ApproverOptions = {
  readonly ask: AskWhom
  readonly mostPending: number
  /** How long a caller is kept that does not hear of progress: many give up after a minute. */
  readonly patienceMs: number
}

export function approverFor(store: ApprovalStore, { ask, mostPending, patienceMs }: ApproverOptions): Approver {
  const held = elsewhere(store, { mostPending })
  const comingBack = patient(store, elsewhere(store, { hold: false, mostPending }), patienceMs)
  const console: Approver = (request, call) => (hearsProgress(call) ? held(request, call) : comingBack(request, call))
  if (ask === 'console') return console
  const caller = theCaller()
  if (ask === 'caller') return caller
  return async (request, call) => {
    try {
      return await caller(request, call)
    } catch (thrown) {
      // It cannot ask anybody; a person who says no is no error.
      if (!(thrown instanceof Refusal)) throw thrown
      return console(request, call)
    }
  }
}

/** Its client knows that the call is alive for as long as it waits. */
const hearsProgress = ({ context }: ToolCall): boolean => context.meta.progressToken !== undefined

/** A decision that comes soon is waited for; after that the caller is told to come back. */
function patient(store: ApprovalStore, ask: Approver, ms: number): Approver {
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
    await store.settled(found.asked.id, AbortSignal.any([signal, AbortSignal.timeout(ms)]))
    return true
  } catch {
    return false // it did not come in time, or nobody waits for it
  }
}
