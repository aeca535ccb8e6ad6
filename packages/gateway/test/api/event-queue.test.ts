// Events that wait for a slow reader.
import { describe, expect, it } from 'vitest'
import { EventQueue } from '../../src/api/event-queue.js'

describe('an event queue', () => {
  it('returns all waiting events in order, and waits if there are none', async () => {
    const mailbox = new EventQueue<number>()
    const first = mailbox.take()
    mailbox.put(1)
    expect(await first).toEqual([1])
    for (const one of [2, 3]) mailbox.put(one)
    expect(await mailbox.take()).toEqual([2, 3])
    expect(mailbox.isOverfull).toBe(false)
  })

  it('reports dropped events instead of growing', async () => {
    const mailbox = new EventQueue<number>(2)
    for (const one of [1, 2, 3]) mailbox.put(one)
    expect(mailbox.isOverfull).toBe(true)
    expect(await mailbox.take()).toEqual([1, 2])
  })

  it('is read to its end after it is closed, and a waiting reader is notified', async () => {
    const mailbox = new EventQueue<number>()
    mailbox.put(1)
    mailbox.close()
    expect(await mailbox.take()).toEqual([1])
    expect(await mailbox.take()).toEqual([])
    const other = new EventQueue<number>()
    const waiting = other.take()
    other.close()
    expect(await waiting).toEqual([])
  })
})
