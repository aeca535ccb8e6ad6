// Audit records of calls, and events for displaying calls in progress.
import { describe, expect, it } from 'vitest'
import { type AuditRecord, approve, audit } from '../../src/guard.js'
import type { JsonObject } from '../../src/json.js'
import { every } from '../revisions.js'
import { pay, person, refused } from './people.js'
import { connectScripted, type Script, textResult } from './scripted.js'

describe.each(every)('the audit log, %s', (revision) => {
  it('SECC-004 has each call and its outcome, and no values', async () => {
    const records: AuditRecord[] = []
    const policies = [audit({ write: (record) => void records.push(record) }), approve({ ask: person('allow', 'deny').ask })]
    const { client, server } = await connectScripted(pay, { revision, options: { name: 'shop', policies } })
    await client.call('pay', { card: '4111-1111' })
    await expect(client.call('pay', { card: '4111-1111' })).rejects.toMatchObject(refused('not-approved'))
    const about = { server: 'shop', tool: 'pay', caller: 'local', definitionHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }
    const intent = {
      kind: 'intent',
      ...about,
      arguments: { type: 'object', length: 1, hmac: expect.stringMatching(/^[0-9a-f]{64}$/) },
    }
    expect(records).toMatchObject([
      intent,
      { kind: 'outcome', ...about, id: records[0]?.id, decision: 'allowed', outcome: 'ok', durationMs: expect.any(Number) },
      intent,
      { kind: 'outcome', ...about, id: records[2]?.id, decision: 'refused', outcome: 'refused', reason: 'not-approved' },
    ])
    expect(JSON.stringify(records)).not.toContain('4111-1111')
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('SECC-004 has no gaps: no tool is called if the log cannot be written', async () => {
    const write = () => Promise.reject(new Error('disk full'))
    const { client, server } = await connectScripted(pay, { revision, options: { policies: [audit({ write })] } })
    await expect(client.call('pay')).rejects.toMatchObject(refused('unrecorded'))
    expect(server.received('tools/call')).toEqual([])
  })
})

describe.each(every)('a call in progress, %s', (revision) => {
  it('UX-003 can be shown at its start, with its progress and at its end', async () => {
    const shown: unknown[] = []
    const write = ({ kind, server, tool }: AuditRecord) => void shown.push([kind, server, tool])
    const script: Script = {
      ...pay,
      'tools/call': async ({ params }, server) => {
        shown.push('at the server')
        const { progressToken } = params._meta as JsonObject
        server.notify('notifications/progress', { progressToken: progressToken ?? 0, progress: 1, total: 2 })
        return textResult('paid')
      },
    }
    const { client } = await connectScripted(script, { revision, options: { name: 'shop', policies: [audit({ write })] } })
    await client.call('pay', {}, { onProgress: ({ progress, total }) => shown.push([progress, total]) })
    shown.push('returned')
    expect(shown).toEqual([['intent', 'shop', 'pay'], 'at the server', [1, 2], ['outcome', 'shop', 'pay'], 'returned'])
  })
})
