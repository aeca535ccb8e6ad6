import { describe, expect, it } from 'vitest'
import { type FinishedCall, finishedCall, passes } from '../../src/live/finished-call.js'

const ended = { at: 5, what: 'ended', call: 1, tool: 'Add', server: 'sums', caller: 'local', outcome: 'refused', ms: 3 } as const
const call: FinishedCall = finishedCall(1, { ...ended, reason: 'forbidden', record: 'r1' })

describe('a finished call', () => {
  it('holds what its end told', () => {
    expect(call).toEqual({
      ...{ key: 1, at: 5, tool: 'Add', server: 'sums', caller: 'local', outcome: 'refused', ms: 3 },
      ...{ reason: 'forbidden', record: 'r1' },
    })
  })

  it.each(['add', 'SUM', 'local', ''])('is found by "%s" in its tool, server or caller', (text) => {
    expect(passes({ text, outcome: 'all' }, call)).toBe(true)
  })

  it('is not found by what it does not hold', () => {
    expect(passes({ text: 'forbidden', outcome: 'all' }, call)).toBe(false)
  })

  it.each([
    ['refused', 'refused', true],
    ['refused', 'error', false],
    ['failed', 'error', true],
    ['cancelled', 'other', true],
    ['asked', 'other', true],
    ['ok', 'other', false],
  ] as const)('that is %s is shown under %s: %s', (outcome, wanted, is) => {
    expect(passes({ text: '', outcome: wanted }, { ...call, outcome })).toBe(is)
  })
})
