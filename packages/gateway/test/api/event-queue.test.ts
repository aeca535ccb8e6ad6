// What waits for somebody who reads slowly.
import { describe, expect, it } from 'vitest'
import { EventQueue } from '../../src/api/event-queue.js'

describe('a mailbox', () => {
  it('gives what was put there in its order, all that there is at once, and waits where there is nothing', async () => {
    const mailbox = new EventQueue<number>()
    const first = mailbox.take()
    mailbox.put(1)
    expect(await first).toEqual([1])
    for (const one of [2, 3]) mailbox.put(one)
    expect(await mailbox.take()).toEqual([2, 3])
    expect(mailbox.isOverfull).toBe(false)
  })

  it('says that some had no room, rather than to grow', async () => {
    const mailbox = new EventQueue<number>(2)
    for (const one of [1, 2, 3]) mailbox.put(one)
    expect(mailbox.isOverfull).toBe(true)
    expect(await mailbox.take()).toEqual([1, 2])
  })

  it('is read to its end when it is closed, and whoever waits hears of it', async () => {
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
