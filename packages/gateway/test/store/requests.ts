// Requests as they wait in a store, without a call around them.
import type { AskedElsewhere } from 'toolwire/guard'

let count = 0

export function asked(given: Partial<AskedElsewhere> = {}): AskedElsewhere {
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
