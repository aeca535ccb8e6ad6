// Requests as they wait in a store, without a call around them.
import type { ApprovalAnswer } from '../../../src/policy/approve/approval.js'
import type { ApprovalStore, PendingApproval } from '../../../src/policy/approve/store.js'

let count = 0

export function asked(given: Partial<PendingApproval> = {}): PendingApproval {
  // Several processes may share a store.
  const id = `request-${process.pid}-${++count}`
  return {
    id,
    digest: `digest of ${id}`,
    callDigest: `call of ${id}`,
    policyVersion: undefined,
    server: 'mail',
    tool: { name: 'send', definitionHash: 'sha256:0' },
    arguments: { to: 'ada' },
    display: '{ "to": "ada" }',
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    claims: {},
    caller: 'eve',
    expiresAt: Date.now() + 300_000,
    held: true,
    ...given,
  }
}

/** What waits in a store, as soon as there is that much. */
export async function waitingIn(store: ApprovalStore, count = 1): Promise<readonly PendingApproval[]> {
  for (;;) {
    const pending = await store.pending(1_000)
    if (pending.length >= count) return pending
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** Decides about the oldest request. */
export async function decideIn(store: ApprovalStore, answer: ApprovalAnswer): Promise<boolean> {
  const [request] = await waitingIn(store)
  return store.decide(request?.id ?? '', answer)
}
