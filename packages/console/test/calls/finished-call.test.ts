import { expect, it } from 'vitest'
import { finishedCall } from '../../src/calls/finished-call.js'

it('a finished call has what its last event said', () => {
  const about = { at: 5, tool: 'Add', server: 'sums', caller: 'local', outcome: 'refused', ms: 3 } as const
  const ended = { ...about, what: 'ended', call: 1 } as const
  expect(finishedCall(1, ended)).toEqual({ ...about, key: 1 })
  expect(finishedCall(2, { ...ended, reason: 'forbidden', record: 'r1' })).toEqual({
    ...about,
    ...{ key: 2, reason: 'forbidden', record: 'r1' },
  })
})
