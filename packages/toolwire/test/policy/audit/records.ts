// Records as the policy creates them, and scripted sinks.

import type { AuditEntry } from '../../../src/policy/audit/entry.js'
import type { AuditSink } from '../../../src/policy/audit/log.js'
import type { AuditIntent, AuditRecord } from '../../../src/policy/audit/record.js'

export const intentOf = (number: number, args: AuditIntent['arguments'] = { n: number }): AuditRecord => ({
  kind: 'intent',
  id: `call-${number}`,
  at: 1_000 + number,
  server: 'mail',
  tool: 'send',
  definitionHash: 'sha256:0',
  caller: 'eve',
  arguments: args,
})

/** A sink that answers on command. */
export function slowSink() {
  const batches: AuditEntry[][] = []
  const waiting: { resolve: () => void; reject: (why: Error) => void }[] = []
  const sink: AuditSink = {
    write(entries) {
      batches.push([...entries])
      return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
    },
  }
  const turn = () => new Promise((resolve) => setTimeout(resolve))
  return {
    sink,
    batches,
    written: async () => {
      waiting.shift()?.resolve()
      await turn()
    },
    failed: async () => {
      waiting.shift()?.reject(new Error('disk full'))
      await turn()
    },
  }
}
