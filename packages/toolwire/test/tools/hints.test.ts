// Rules, approvals, clients and the gateway use one function for the effective hints.
import { describe, expect, it } from 'vitest'
import { effectiveHints } from '../../src/guard.js'
import { describeCall } from '../../src/policy/approve/approval.js'
import { explain } from '../../src/rules.js'
import { connectScripted, plainTool, toolsPage } from '../client/scripted.js'
import { callOf } from '../policy/call.js'

const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: true }
const worst = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

describe('effective hints', () => {
  it.each([
    [undefined, worst],
    [{}, worst],
    [{ readOnly: true }, reads],
    [{ readOnly: true, destructive: true }, reads],
    [
      { readOnly: false, destructive: false },
      { ...worst, destructive: false },
    ],
    [
      { idempotent: true, openWorld: false },
      { ...worst, idempotent: true, openWorld: false },
    ],
  ])('of %j have the most cautious defaults, and a read-only tool is not destructive', (said, expected) => {
    expect(effectiveHints(said)).toEqual(expected)
    expect(effectiveHints(effectiveHints(said))).toEqual(expected)
  })

  it('are the same for approvals, for rules and for a client', async () => {
    const hints = { readOnly: true }
    expect(describeCall(callOf({ hints }), '').hints).toEqual(reads)
    const destructive = { rules: [{ name: 'it', when: { hints: { destructive: true } }, decision: 'deny' }] } as const
    expect(explain(destructive, { tool: 'x', hints }).decision).toBe('allow')
    const page = toolsPage([plainTool('x', { annotations: { readOnlyHint: true } })])
    const { client } = await connectScripted({ 'tools/list': page }, { revision: '2025-11-25', options: { trusted: true } })
    expect((await client.listTools())[0]?.hints).toEqual(reads)
  })
})
