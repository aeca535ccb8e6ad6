import { expect, it, onTestFinished, vi } from 'vitest'
import { followReplicas } from '../../src/lifecycle/follow-replicas.js'
import type { Fleet } from '../../src/store/store.js'

const replica = (id: string) => ({ id, name: id, version: '1', address: `http://${id}`, startedAt: 0, seenAt: 0 })

/** A list of replicas over a fake store, with fake timers. */
function followed(...ids: string[]) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const found = { alive: ids.map(replica), isAway: false }
  const replicas = async () => {
    if (found.isAway) throw new Error('away')
    return found.alive
  }
  const list = followReplicas({ id: 'self', replicas, announce: async () => undefined } as unknown as Fleet)
  onTestFinished(() => list.close())
  return { list, found }
}

it('runs one lookup at a time, and each request gets a lookup that began after it', async () => {
  const alive = [replica('one')]
  let looks = 0
  const open: (() => void)[] = []
  const replicas = async () => {
    looks++
    const found = [...alive]
    await new Promise<void>((resolve) => open.push(resolve))
    return found
  }
  const list = followReplicas({ id: 'self', replicas, announce: async () => undefined } as unknown as Fleet)
  onTestFinished(() => list.close())
  const early = list.refresh?.()
  alive.push(replica('two'))
  const late = Array.from({ length: 100 }, () => list.refresh?.())
  expect(looks).toBe(1)
  open.shift()?.()
  await early
  expect(list.all().map(({ id }) => id)).toEqual(['one'])
  await expect.poll(() => open.length).toBe(1)
  open.shift()?.()
  await Promise.all(late)
  expect(list.all().map(({ id }) => id)).toEqual(['one', 'two'])
  expect(looks).toBe(2)
})

it('keeps replicas without heartbeats after an outage until they can have sent one', async () => {
  const { list, found } = followed('self', 'two', 'three')
  const ids = () => list.all().map(({ id }) => id)
  await vi.advanceTimersByTimeAsync(2_000)
  found.isAway = true
  await vi.advanceTimersByTimeAsync(60_000)
  found.isAway = false
  found.alive = [replica('self'), replica('four')]
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ids().sort()).toEqual(['four', 'self', 'three', 'two'])
  found.alive = ['self', 'two', 'four'].map(replica)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(ids()).toEqual(['self', 'two', 'four'])
  // Without an outage, a replica that ends is removed at once.
  found.alive = [replica('self')]
  await vi.advanceTimersByTimeAsync(2_000)
  expect(ids()).toEqual(['self'])
})

it('counts replicas without heartbeats after an outage, and removes them half a minute later', async () => {
  const { list, found } = followed('self', 'two', 'three')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(list.count()).toBe(3)
  found.isAway = true
  await vi.advanceTimersByTimeAsync(600_000)
  found.isAway = false
  found.alive = [replica('self')]
  await list.refresh?.()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(list.count()).toBe(3)
  // Lookups on demand do not shorten the time.
  for (let n = 0; n < 100; n++) await list.refresh?.()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(list.count()).toBe(3)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(list.count()).toBe(1)
})
