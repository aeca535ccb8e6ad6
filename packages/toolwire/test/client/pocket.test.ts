// Servers of the pocket profile, and others with the same output.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ConnectOptions, connect } from '../../src/client/index.js'
import { type ApprovalRequest, type AuditRecord, approve, audit } from '../../src/guard.js'
import { server } from '../../src/server/server.js'
import { tool } from '../../src/tools/define-tool.js'
import { until } from '../revisions.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const description = 'A tool of a pocket server.'
let paid = 0
const tools = {
  talk: tool({ description, run: () => 'words' }),
  pay: tool({
    description,
    input: z.object({ amount: z.number() }),
    run: ({ amount }) => {
      paid += amount
      return 'paid'
    },
  }),
  hang: tool({ description, run: () => new Promise<string>(() => undefined) }),
}
const app = server({ name: 'pocket', version: '1.0.0', profile: 'pocket', tools })
const visit = (options: ConnectOptions = {}) => connect<typeof app>(app, options)

describe('pocket', () => {
  it('PKT-003 ignores the empty structured result that comes with every call', async () => {
    await using client = await visit()
    const raw = await client.request('tools/call', { name: 'talk', arguments: {} })
    expect(raw.structuredContent).toEqual({})
    const result = await client.call('talk')
    expect(result).not.toHaveProperty('structuredContent')
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'words' }], isError: false })
  })

  it('PKT-003 ignores the empty structured result if it violates the output schema, too', async () => {
    const sum = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
    const listed = toolsPage([plainTool('add', { outputSchema: sum }), plainTool('any', { outputSchema: { type: 'object' } })])
    const script = { 'tools/list': listed, 'tools/call': textResult('3', { structuredContent: {} }) }
    const { client } = await connectScripted(script, { revision: '2025-06-18' })
    expect(await client.call('add')).toEqual({ content: [{ type: 'text', text: '3' }], isError: false })
    expect(await client.call('any')).toMatchObject({ structuredContent: {} }) // an empty object matches its output schema
  })

  it('PKT-008 is called only with approval, and every call is in the audit log', async () => {
    const asked: ApprovalRequest[] = []
    const records: AuditRecord[] = []
    const ask = (request: ApprovalRequest) => (asked.push(request) === 1 ? 'deny' : 'allow')
    await using client = await visit({
      policies: [audit({ write: (record) => void records.push(record), redact: 'none' }), approve({ ask })],
    })
    await expect(client.call('pay', { amount: 5 })).rejects.toMatchObject({ name: 'Refusal' })
    expect(paid).toBe(0)
    await client.call('pay', { amount: 7 })
    expect(paid).toBe(7)
    expect(asked.map(({ arguments: args }) => args)).toEqual([{ amount: 5 }, { amount: 7 }])
    expect(records).toMatchObject([
      { kind: 'intent', tool: 'pay', arguments: { amount: 5 } },
      { kind: 'outcome', decision: 'refused' },
      { kind: 'intent', tool: 'pay', arguments: { amount: 7 } },
      { kind: 'outcome', decision: 'allowed', outcome: 'ok' },
    ])
  })

  it('PKT-008 times out, and the timeout is in the audit log', async () => {
    const records: AuditRecord[] = []
    await using client = await visit({
      limits: { idleMs: 500 },
      policies: [audit({ write: (record) => void records.push(record) })],
    })
    await expect(client.call('hang')).rejects.toMatchObject({ name: 'CallFailure', code: 'outcome_unknown' })
    expect(records).toMatchObject([{ kind: 'intent' }, { kind: 'outcome', outcome: 'failed' }])
  })
})

describe.each(until('2025-11-25'))('a server with output like pocket, %s', (revision) => {
  it('PKT-010 is supported: an empty cursor ends a list, and an empty object is ignored', async () => {
    const { client, server: scriptedServer } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('talk')], { nextCursor: '' }),
        'resources/list': { resources: [{ uri: 'note:1', name: 'note' }], nextCursor: '' },
        'tools/call': textResult('words', { structuredContent: {} }),
      },
      { revision, capabilities: { tools: {}, resources: {} } },
    )
    expect(await client.listTools()).toHaveLength(1)
    expect(await client.listResources()).toHaveLength(1)
    expect([...scriptedServer.received('tools/list'), ...scriptedServer.received('resources/list')]).toHaveLength(2)
    expect(await client.call('talk')).toEqual({ content: [{ type: 'text', text: 'words' }], isError: false })
    await expect(client.tools.talk?.()).resolves.toMatchObject({ content: [{ text: 'words' }] })
  })
})
