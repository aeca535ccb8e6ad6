// Adds thousands of pending approvals to a store without calls.
import type { PendingApproval } from 'toolwire/guard'
import type { Store } from '../../src/store/store.js'
import { asked } from './approval-requests.js'

const destructive = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

export const kinds = {
  destructive,
  write: { ...destructive, destructive: false },
  repeatable: { ...destructive, destructive: false, idempotent: true },
  read: { ...destructive, readOnly: true },
} as const

export function request(given: Partial<PendingApproval> = {}): PendingApproval {
  return asked({
    tool: { name: 'mail__send', description: 'Sends a mail. '.repeat(20), definitionHash: 'sha256:0' },
    arguments: { to: 'ada@example.com', text: 'x'.repeat(400) },
    display: 'x'.repeat(450),
    ...given,
  })
}

export async function fill({ approvals }: Store, requests: readonly PendingApproval[]): Promise<void> {
  const added = await Promise.all(requests.map((one) => approvals.add(one, 10_000)))
  if (added.some((what) => what !== 'added')) throw new Error('The store did not accept all requests')
}
