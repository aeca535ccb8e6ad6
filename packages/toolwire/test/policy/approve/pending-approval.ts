// Requests in an approval store, without calls.
import type { ApprovalAnswer } from '../../../src/policy/approve/approval.js'
import type { ApprovalStore, PendingApproval } from '../../../src/policy/approve/store.js'

let count = 0

export function asked(given: Partial<PendingApproval> = {}): PendingApproval {
  // The process id keeps ids unique if several processes share a store.
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

/** Waits until the store has the given number of pending requests. */
export async function waitingIn(store: ApprovalStore, count = 1): Promise<readonly PendingApproval[]> {
  for (;;) {
    const pending = await store.pending(1_000)
    if (pending.length >= count) return pending
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** Decides the oldest request. */
export async function decideIn(store: ApprovalStore, answer: ApprovalAnswer): Promise<boolean> {
  const [request] = await waitingIn(store)
  return store.decide(request?.id ?? '', answer)
}
