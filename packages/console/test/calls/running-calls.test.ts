import { describe, expect, it } from 'vitest'
import type { Call, CallEvent } from '../../src/api/types.js'
import { RunningCalls } from '../../src/calls/running-calls.js'

const about = (call: number) => ({ at: 1_000 + call, call, tool: 'add', server: 'sums', caller: 'local' })
const begun = (call: number): { at: number } & CallEvent => ({ ...about(call), what: 'begun', arguments: { a: call } })
const ended = (call: number): { at: number } & CallEvent => ({ ...about(call), what: 'ended', outcome: 'ok', ms: 3 })
const listed = (id: number): Call => ({ id, tool: 'add', server: 'sums', caller: 'local', arguments: {}, startedAt: 1_000 + id })
const ids = (running: RunningCalls) => running.all.map(({ id }) => id)

function after(...events: readonly ({ at: number } & CallEvent)[]): RunningCalls {
  const running = new RunningCalls()
  for (const event of events) running.take(event)
  return running
}

describe('running calls', () => {
  it('are the calls that began and have not ended', () => {
    expect(ids(after(begun(1), begun(2), ended(1)))).toEqual([2])
  })

  it('have their arguments', () => {
    expect(after(begun(1)).all).toMatchObject([{ id: 1, startedAt: 1_001, arguments: { a: 1 } }])
  })

  it('show their progress, and whether they are waiting', () => {
    const running = after(begun(1), { ...about(1), what: 'progress', progress: 1, total: 4, message: 'first' })
    expect(running.all[0]?.progress).toEqual({ progress: 1, total: 4, message: 'first' })
    running.take({ ...about(1), what: 'waiting', waiting: 'ap1' })
    expect(running.all[0]?.waiting).toBe('ap1')
    running.take({ ...about(1), what: 'waiting' })
    expect(running.all[0]).not.toHaveProperty('waiting')
  })

  it('do not begin with a progress event, because the call may have ended', () => {
    expect(ids(after({ ...about(1), what: 'progress', progress: 1 }))).toEqual([])
  })

  it('are those that the gateway lists, updated by the events since the request', () => {
    const running = after(begun(1), begun(2))
    running.expectList()
    for (const event of [ended(2), begun(4), begun(5), ended(5)]) running.take(event)
    running.end(6)
    // The list is older than these events; call 1 ended earlier, without an event.
    running.replace([2, 3, 6].map(listed))
    expect(ids(running)).toEqual([3, 4])
  })

  it('keep the progress and the waiting state that were reported while the list was loaded', () => {
    const running = after(begun(1))
    running.expectList()
    running.take({ ...about(1), what: 'progress', progress: 2 })
    running.take({ ...about(2), what: 'waiting', waiting: 'ap2' })
    running.replace([1, 2].map(listed))
    expect(running.all).toMatchObject([
      { id: 1, progress: { progress: 2 } },
      { id: 2, waiting: 'ap2' },
    ])
    running.take({ ...about(2), what: 'waiting' })
    expect(running.all[1]).not.toHaveProperty('waiting')
  })

  it('have an upper limit', () => {
    const running = after(...Array.from({ length: 3_000 }, (_, at) => begun(at)))
    expect(running.size).toBe(2_000)
    expect(running.all.at(-1)?.id).toBe(2_999)
  })
})
