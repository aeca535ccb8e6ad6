import { describe, expect, it } from 'vitest'
import { abortSignalOf, CancelSource } from '../../src/bounds/cancel-token.js'

describe('a cancel token', () => {
  it('notifies its listeners once, with the first reason', () => {
    const stopper = new CancelSource()
    const notified: string[] = []
    const gone = () => notified.push('gone')
    stopper.addEventListener('abort', () => notified.push(`one ${stopper.reason}`))
    stopper.addEventListener('abort', gone)
    stopper.addEventListener('abort', () => notified.push('two'))
    stopper.removeEventListener('abort', gone)
    expect([stopper.aborted, notified]).toEqual([false, []])
    stopper.abort('enough')
    stopper.abort('again')
    expect([stopper.aborted, stopper.reason, notified]).toEqual([true, 'enough', ['one enough', 'two']])
  })

  it('notifies its listeners in the order of registration, even after some were removed', () => {
    const stopper = new CancelSource()
    const notified: string[] = []
    const first = () => notified.push('first')
    stopper.addEventListener('abort', first)
    stopper.addEventListener('abort', () => notified.push('second'))
    stopper.removeEventListener('abort', first)
    stopper.addEventListener('abort', () => notified.push('third'))
    stopper.abort('enough')
    expect(notified).toEqual(['second', 'third'])
  })

  it('keeps its listeners when an unknown one is removed', () => {
    const stopper = new CancelSource()
    let notifications = 0
    stopper.addEventListener('abort', () => notifications++)
    stopper.removeEventListener('abort', () => undefined)
    stopper.abort(undefined)
    expect(notifications).toBe(1)
  })
})

describe('a full AbortSignal', () => {
  it('follows its cancel token, before and after it is cancelled', () => {
    const stopper = new CancelSource()
    const before = abortSignalOf(stopper)
    expect(before.aborted).toBe(false)
    stopper.abort('enough')
    const after = abortSignalOf(stopper)
    expect([before.aborted, before.reason, after.aborted, after.reason]).toEqual([true, 'enough', true, 'enough'])
  })

  it('is the same object for repeated calls', () => {
    const stopper = new CancelSource()
    expect(abortSignalOf(stopper)).toBe(abortSignalOf(stopper))
  })

  it('is returned unchanged if it exists already', () => {
    const { signal } = new AbortController()
    expect(abortSignalOf(signal)).toBe(signal)
  })
})
